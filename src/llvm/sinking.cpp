#include "llvm/sinking.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/IR/Instructions.h>
#include <llvm/Transforms/Utils/Local.h>

namespace psi::llvm_bridge {
namespace {

bool is_used_in(const llvm::Instruction& inst, const llvm::BasicBlock* block) {
  return llvm::all_of(inst.uses(), [&](const llvm::Use& use) {
    const auto* user = llvm::cast<llvm::Instruction>(use.getUser());
    const auto* phi = llvm::dyn_cast<llvm::PHINode>(user);
    return (phi ? phi->getIncomingBlock(use) : user->getParent()) == block;
  });
}

}  // namespace

bool can_sink(const llvm::Instruction& inst) {
  return !llvm::isa<llvm::PHINode, llvm::AllocaInst, llvm::CallBase>(inst) && !inst.isTerminator() &&
         !inst.mayHaveSideEffects() && !inst.mayReadFromMemory();
}

void sink(std::vector<llvm::Value*> values, const llvm::BasicBlock* from, llvm::BasicBlock* to) {
  while (!values.empty()) {
    auto* inst = llvm::dyn_cast<llvm::Instruction>(values.back());
    values.pop_back();
    if (!inst || inst->getParent() != from || !can_sink(*inst) || !is_used_in(*inst, to)) continue;
    llvm::salvageDebugInfo(*inst);
    inst->moveBefore(*to, to->getFirstInsertionPt());
    values.insert(values.end(), inst->op_begin(), inst->op_end());
  }
}

}  // namespace psi::llvm_bridge
