// Tail duplication: Mahlke et al. 1992. Blocks with side entries are copied, so that hyperblocks can continue
// past them.
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

#include "psi/pass/analyses.h"
#include "psi/pass/counters.h"
#include "psi/pass/remarks.h"
#include "psi/target/target.h"

namespace psi::predication {

struct TailDuplicationLimits {
  uint32_t insts = 0;          // that may be copied for one region, phis not counted
  double min_probability = 0;  // as for hyperblocks()
  // By BlockId: may blocks be copied for the region that begins there? Empty: for all.
  std::vector<uint8_t> may_grow;
};

// SSA form, all blocks reachable; SSA form stays. Copies blocks for predecessors in one region of
// hyperblocks() with a branch; the others keep the original. Targets of back edges are not copied, nor blocks
// with an obstacle or with definitions read beyond the block and the phis for its edges. Drops the analyses
// if something was copied. Linear in the size of the function and of the copies, except for sorting.
void duplicate_tails(Function& function, Analyses& analyses, const Target& target,
                     const TailDuplicationLimits& limits, Counters& counters, Remarks* remarks);

}  // namespace psi::predication
