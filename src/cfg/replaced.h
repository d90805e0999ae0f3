// The definitions of registers that were replaced.
#pragma once

#include <cstdint>
#include <span>

#include "cfg/substitution.h"
#include "psi/analysis/uses.h"
#include "psi/ir/function.h"

namespace psi::cfg {

// Removes those without effects, once the substitution is applied and their results are unread. Returns the
// number. Preserves control flow. Linear.
uint64_t remove_replaced(Function& function, const Substitution& substitution);

// The same where only calls without an effect are replaced, and go as well. `is_dead`, by InstId: what goes
// besides.
uint64_t remove_replaced_and_calls(Function& function, const Substitution& substitution,
                                   std::span<const uint8_t> is_dead);

// Is it a mov whose result only indirect calls read? These need a register, so only a register can replace
// it.
bool is_only_called(const Function& function, InstId id, const Uses& uses);

}  // namespace psi::cfg
