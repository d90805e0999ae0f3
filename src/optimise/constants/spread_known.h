// Replaces reads of known values by literals (known_values.h).
//
//     br %p, @a, @b                      br %p, @a, @b
//     @a: %p ? %y = add.i32 %x, 1   ==>  @a: %y = add.i32 7, 1         (%p = cmp.eq.i32 %x, 7)
//         br %p, @c, @d                      br @c
#pragma once

#include <cstdint>

#include "psi/ir/function.h"
#include "psi/pass/analyses.h"
#include "psi/pass/counters.h"

namespace psi::optimise {

enum class KnownIn : uint8_t { AllOperands, Terminators };

// Requires SSA form and that every block is reachable. Returns how many reads it replaced; the analyses are
// dropped as far as they no longer hold, and blocks that become unreachable are removed. Linear: facts are
// added while walking down the dominator tree, and dropped on the way up.
uint64_t spread_known(Function& function, Analyses& analyses, KnownIn where, Counters& counters);

}  // namespace psi::optimise
