// What a block computes, read behind it through phis, so that the block can be copied.
//
//     @b: %x = add.i32 %a, 1                 @b: %x = add.i32 %a, 1
//         br %c, @b, @e                          br %c, @b, @e
//     @e: call $g()                   ==>    @e: %y = phi.i32 [@b: %x]
//         br @f                                  call $g()
//     @f: ret %x                                 br @f
//                                            @f: ret %y
#pragma once

#include <span>
#include <vector>

#include "psi/ir/function.h"
#include "psi/pass/analyses.h"

namespace psi::predication {

// Can this be done? A reader must stand in the block, or behind a successor that control comes to from this
// block alone, or be a phi for an edge from the block. Linear in the readers.
bool can_close(const Function& function, Analyses& analyses, BlockId b);

// Does it, for blocks of which none is entered from another of them alone. The uses are no longer valid.
void close_blocks(Function& function, Analyses& analyses, std::span<const BlockId> blocks);

}  // namespace psi::predication
