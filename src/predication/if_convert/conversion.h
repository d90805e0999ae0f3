// Turns a region into one block.
//
//     @e: %c = cmp.lt.i32 %a, %b         @e: %p, %q = cmpp.un.uc.lt.i32 %a, %b
//         br %c, @t, @f                      %p ? %x = add.i32 %a, 1
//     @t: %x = add.i32 %a, 1          ==>    %q ? %y = sub.i32 %a, 1
//         br @j                              %z = psi %p ? %x, %q ? %y
//     @f: %y = sub.i32 %a, 1                 br @j
//         br @j
//     @j: %z = phi [@t: %x], [@f: %y]
#pragma once

#include <vector>

#include "predication/if_convert/legality.h"
#include "predication/if_convert/region_graph.h"
#include "psi/pass/counters.h"

namespace psi::predication {

// All blocks but the first have no obstacle, nor has the terminator of the first. They are empty afterwards,
// and the caller drops them from the layout. `analyses` may be older than conversions of other regions.
// Near-linear.
void convert(Function& function, Analyses& analyses, const Target& target, const Legality& legality,
             const Region& region, Counters& counters);

}  // namespace psi::predication
