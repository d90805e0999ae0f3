// What a function can do without: instructions, branches, blocks.
#pragma once

#include "psi/pass.h"

namespace psi {

// Removes what nothing observable depends on, branches included.
void adce(PassContext& context);

// Fewer blocks and branches that do the same.
void simplify_cfg(PassContext& context);

}  // namespace psi
