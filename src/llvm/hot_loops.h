// Where the loops lie that a program spends its time in.
#pragma once

#include <llvm/IR/Function.h>

namespace psi::llvm_bridge {

// Processors fetch code by lines. A loop that begins with one takes as few as can be, and not one or two more
// by chance. Where a profile says that it has enough rounds for that to pay, it is marked so. Returns whether
// there were any.
bool align_hot_loops(llvm::Function& function);

}  // namespace psi::llvm_bridge
