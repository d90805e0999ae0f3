// Tail duplication: Mahlke et al. 1992. Blocks that control also enters from elsewhere are copied, so that
// hyperblocks can go on beyond them.
//
//     @a: br %p, @b, @x                         @a:  br %p, @b, @x           @a, @b and @j1 are a region
//     @b: br @j                                 @b:  br @j1
//     @x: call $f()                             @j1: %v1 = phi [@b: 1]
//         br @j                           ==>        ret %v1
//     @j: %v = phi [@b: 1], [@x: 2]             @x:  call $f()
//         ret %v                                     br @j
//                                               @j:  %v = phi [@x: 2]
//                                                    ret %v
#pragma once

#include <cstdint>
#include <vector>

#include "psi/analyses.h"
#include "psi/counters.h"
#include "psi/remarks.h"
#include "psi/target.h"

namespace psi::if_conversion {

struct TailDuplicationLimits {
  uint32_t insts = 0;    // that may be copied for one region, phis not counted
  double min_share = 0;  // as for hyperblocks()
  // By BlockId: may blocks be copied for the region that begins there? Empty: for all.
  std::vector<uint8_t> may_grow;
};

// SSA form, all blocks reachable; SSA form stays. Copies blocks for those predecessors that are in one region
// of hyperblocks() with a branch in it; the others keep the original. Not copied are blocks that an edge
// leads back to, those with an obstacle, and those that define what is read anywhere but in them and by phis
// for the edges from them. Drops the analyses if something was copied. Linear in the size of the function and
// of the copies, but for sorting.
void duplicate_tails(Function& function, Analyses& analyses, const Target& target,
                     const TailDuplicationLimits& limits, Counters& counters, Remarks* remarks);

}  // namespace psi::if_conversion
