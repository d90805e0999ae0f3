// Value ranges.
#pragma once

#include "psi/pass.h"

namespace psi {

// Finds the limits of integers, and drops compares, masks, extensions and signs that they make superfluous.
// SSA form.
void ranges(PassContext& context);

}  // namespace psi
