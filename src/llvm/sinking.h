// What only one block needs is computed there.
#pragma once

#include <llvm/IR/Instruction.h>

#include <vector>

namespace psi::llvm_bridge {

// Could it be executed later, or not at all, if nobody needs it?
bool can_sink(const llvm::Instruction& inst);

// Moves those of the values, and of what they are computed from, that stand in one block and are used in the
// other alone, or by phis on the way out of that.
void sink(std::vector<llvm::Value*> values, const llvm::BasicBlock* from, llvm::BasicBlock* to);

}  // namespace psi::llvm_bridge
