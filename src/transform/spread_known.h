// Reads what is known where it is known (known_values.h), instead of computing with it.
//
//     br %p, @a, @b                      br %p, @a, @b
//     @a: %p ? %y = add.i32 %x, 1   ==>  @a: %y = add.i32 7, 1         (%p = cmp.eq.i32 %x, 7)
//         br %p, @c, @d                      br @c
#pragma once

#include <cstdint>

#include "psi/analyses.h"
#include "psi/counters.h"
#include "psi/function.h"

namespace psi::transform {

enum class KnownIn : uint8_t { AllOperands, Terminators };

// Requires SSA form and that every block is reachable. Returns how many reads it replaced; the analyses are
// dropped as far as they no longer hold, and blocks that become unreachable are removed. Linear: what is
// known is kept while walking the dominator tree down, and forgotten on the way up.
uint64_t spread_known(Function& function, Analyses& analyses, KnownIn where, Counters& counters);

}  // namespace psi::transform
