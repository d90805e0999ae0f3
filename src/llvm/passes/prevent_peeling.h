// Loops that LLVM's peeling is to leave alone.
//
// On LLVM IR because it decides for a pass of LLVM's that runs before psic.
#pragma once

#include <llvm/IR/Function.h>

namespace psi::llvm_bridge {

// With a profile, LLVM peels the first iterations of a loop with a low average trip count. That helps if
// the trip count is the same each time. Where the end of the loop was measured to be mispredicted, the
// average says nothing, and a processor would have to learn all branches of these iterations twice: such
// loops are marked not to be peeled. Returns whether there were any.
bool prevent_peeling(llvm::Function& function);

}  // namespace psi::llvm_bridge
