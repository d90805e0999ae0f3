// Value ranges.
#pragma once

#include "psi/pass/pass.h"

namespace psi {

// Computes intervals of integers, and drops compares, masks, extensions and signs that follow from them. SSA
// form.
void ranges(PassContext& context);

}  // namespace psi
