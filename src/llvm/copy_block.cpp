#include "llvm/copy_block.h"

#include <llvm/IR/DebugProgramInstruction.h>
#include <llvm/IR/Instruction.h>

namespace psi::llvm_bridge {

void copy_into(const llvm::BasicBlock& block, llvm::BasicBlock* to, llvm::ValueToValueMapTy& map) {
  const auto flags = llvm::RF_NoModuleLevelChanges | llvm::RF_IgnoreMissingLocals;
  for (const llvm::Instruction& inst : llvm::make_range(block.getFirstNonPHIIt(), block.end())) {
    llvm::Instruction* copy = inst.clone();
    copy->insertInto(to, to->end());
    llvm::RemapInstruction(copy, map, flags);
    llvm::RemapDbgRecordRange(to->getModule(), copy->cloneDebugInfoFrom(&inst), map, flags);
    map[&inst] = copy;
  }
}

}  // namespace psi::llvm_bridge
