// Takes out the instructions whose results a substitution has replaced.
#pragma once

#include <cstdint>
#include <span>

#include "psi/function.h"
#include "transform/substitution.h"

namespace psi::transform {

// After the substitution was applied. Those that something still reads stay: a call through a register stays
// one, even if the register is a constant. `is_dead`, by InstId: what goes besides. Linear.
void remove_replaced(Function& function, const Substitution& substitution,
                     std::span<const uint8_t> is_dead = {});

}  // namespace psi::transform
