// Dead instructions, branches and blocks.
#pragma once

#include "psi/pass/pass.h"

namespace psi {

// Removes everything that nothing observable depends on, branches included.
void adce(PassContext& context);

// Merges blocks, threads jumps and folds branches.
void simplify_cfg(PassContext& context);

}  // namespace psi
