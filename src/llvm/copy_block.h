// Copies of blocks, for one of the ways that lead to them.
#pragma once

#include <llvm/IR/BasicBlock.h>
#include <llvm/Transforms/Utils/ValueMapper.h>

namespace psi::llvm_bridge {

// Appends copies of all instructions but the phis. For these the map has the values of the way; it gets what
// stands for the others.
void copy_into(const llvm::BasicBlock& block, llvm::BasicBlock* to, llvm::ValueToValueMapTy& map);

}  // namespace psi::llvm_bridge
