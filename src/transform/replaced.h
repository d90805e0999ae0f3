// The definitions of registers that were replaced.
#pragma once

#include <cstdint>

#include "psi/function.h"
#include "transform/substitution.h"

namespace psi::transform {

// Removes those without an effect, once the substitution is applied and nothing reads their results any more.
// Returns how many. The graph of blocks stays as it is.
uint64_t remove_replaced(Function& function, const Substitution& substitution);

}  // namespace psi::transform
