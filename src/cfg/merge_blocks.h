// Merges blocks that always follow each other.
//
//     @a: ...                      @a: ...
//         br @b             ==>        store.i32 %y, $out
//     @b: %x = phi [@a: %y]            ret
//         store.i32 %x, $out
//         ret
#pragma once

#include <cstdint>

#include "psi/ir/function.h"
#include "psi/pass/analyses.h"
#include "psi/pass/counters.h"

namespace psi::cfg {

// Merges every block into its only predecessor, if it is that one's only successor; phis of one entry become
// their value, in other blocks, too. Requires that every block is reachable. Returns how many blocks it
// merged; the analyses are dropped as far as they no longer hold. Linear, however long the chains.
uint64_t merge_blocks(Function& function, Analyses& analyses, Counters& counters);

// Sends all jumps to blocks that only return the same to one of them. Returns how many are no longer needed,
// which are left for dce_unreachable. Linear.
uint64_t merge_returns(Function& function);

}  // namespace psi::cfg
