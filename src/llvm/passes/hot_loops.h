// The alignment of loops that a program spends its time in.
//
// On LLVM IR because psic IR has no addresses of instructions: the code generator aligns blocks.
#pragma once

#include <llvm/IR/Function.h>

namespace psi::llvm_bridge {

// Processors fetch code by cache lines. A loop that is aligned to one occupies the fewest. Loops with enough
// iterations for that to pay, by the profile, are marked so. Returns whether there were any.
bool align_hot_loops(llvm::Function& function);

}  // namespace psi::llvm_bridge
