// Loops that LLVM treats by how many rounds they have on the average.
#pragma once

#include <llvm/IR/Function.h>

namespace psi::llvm_bridge {

// With a profile, LLVM puts the first rounds of a loop that has few of them before it. That helps if they are
// as many each time. Where it was measured that the end of the loop is not foreseen, the average says
// nothing, and all branches of these rounds would have to be learned twice: such loops are marked to stay
// whole. Returns whether there were any.
bool keep_loops_whole(llvm::Function& function);

}  // namespace psi::llvm_bridge
