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

#include "if_convert/legality.h"
#include "if_convert/region_graph.h"
#include "psi/counters.h"

namespace psi::if_conversion {

// All blocks but the first have no obstacle; the first ends well. They hold nothing afterwards, and are for
// the caller to drop from the layout. `analyses` may be of before other regions were converted. Near-linear.
void convert(Function& function, Analyses& analyses, const Target& target, const Legality& legality,
             const Region& region, Counters& counters);

}  // namespace psi::if_conversion
