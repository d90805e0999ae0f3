#include "llvm/passes/conditional_stores.h"

#include <llvm/IR/Constants.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/MDBuilder.h>
#include <llvm/IR/Metadata.h>

namespace psi::llvm_bridge {
namespace {

constexpr const char* kDone = "psi.done";
constexpr uint32_t kEachIteration = 10'000;  // fractions in metadata are integers, of this

}  // namespace

void note_conditional_stores(llvm::LoopInfo& loops, llvm::BlockFrequencyInfo& frequencies) {
  for (const llvm::Loop* loop : loops.getLoopsInPreorder()) {
    uint64_t iterations = frequencies.getBlockFreq(loop->getHeader()).getFrequency();
    if (!loop->isInnermost() || iterations == 0) continue;
    for (llvm::BasicBlock* block : loop->blocks()) {
      uint64_t times = frequencies.getBlockFreq(block).getFrequency();
      if (times >= iterations) continue;
      auto done = static_cast<uint32_t>(static_cast<double>(times) / static_cast<double>(iterations) *
                                        kEachIteration);
      llvm::Type* type = llvm::Type::getInt32Ty(block->getContext());
      for (llvm::Instruction& inst : *block) {
        if (!llvm::isa<llvm::StoreInst>(inst)) continue;
        inst.setMetadata(
            kDone, llvm::MDNode::get(block->getContext(),
                                     llvm::ConstantAsMetadata::get(llvm::ConstantInt::get(type, done))));
      }
    }
  }
}

bool weigh_conditional_stores(llvm::Function& function) {
  bool is_changed = false;
  for (llvm::BasicBlock& block : function) {
    const llvm::MDNode* mark = nullptr;
    for (const llvm::Instruction& inst : block) {
      if (llvm::isa<llvm::StoreInst>(inst)) mark = inst.getMetadata(kDone);
      if (mark) break;
    }
    llvm::BasicBlock* before = mark ? block.getSinglePredecessor() : nullptr;
    auto* branch = before ? llvm::dyn_cast<llvm::BranchInst>(before->getTerminator()) : nullptr;
    if (!branch || branch->isUnconditional() || branch->hasMetadata(llvm::LLVMContext::MD_prof)) continue;
    auto done =
        static_cast<uint32_t>(llvm::mdconst::extract<llvm::ConstantInt>(mark->getOperand(0))->getZExtValue());
    uint32_t first = branch->getSuccessor(0) == &block ? done : kEachIteration - done;
    branch->setMetadata(
        llvm::LLVMContext::MD_prof,
        llvm::MDBuilder(function.getContext()).createBranchWeights(first, kEachIteration - first));
    is_changed = true;
  }
  return is_changed;
}

}  // namespace psi::llvm_bridge
