// The definitions of registers that were replaced.
#pragma once

#include <cstdint>
#include <span>

#include "psi/function.h"
#include "psi/uses.h"
#include "transform/substitution.h"

namespace psi::transform {

// Removes those without an effect, once the substitution is applied and nothing reads their results any more.
// Returns how many. The graph of blocks stays as it is. Linear.
uint64_t remove_replaced(Function& function, const Substitution& substitution);

// The same where only calls without an effect are replaced, and go as well. `is_dead`, by InstId: what goes
// besides.
uint64_t remove_replaced_and_calls(Function& function, const Substitution& substitution,
                                   std::span<const uint8_t> is_dead);

// Is it a mov whose result nothing reads but calls through it? These need a register, so nothing can replace
// it but another one.
bool is_only_called(const Function& function, InstId id, const Uses& uses);

}  // namespace psi::transform
