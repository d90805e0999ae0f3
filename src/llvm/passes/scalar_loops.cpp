#include "llvm/passes/scalar_loops.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/IR/CFG.h>
#include <llvm/IR/Instructions.h>
#include <llvm/Transforms/Utils/LoopUtils.h>

#include "llvm/profile/predictability.h"

namespace psi::llvm_bridge {
namespace {

// Would the vectoriser need a branch for each element?
bool is_scalar_store(const llvm::Instruction& inst, const llvm::TargetTransformInfo& costs) {
  const auto* store = llvm::dyn_cast<llvm::StoreInst>(&inst);
  return store && !costs.isLegalMaskedStore(store->getValueOperand()->getType(), store->getAlign());
}

// No known target divides vectors of integers.
bool is_division(const llvm::Instruction& inst) {
  return inst.isIntDivRem() && !llvm::isa<llvm::ConstantInt>(inst.getOperand(1));
}

bool is_hard(const llvm::Instruction& terminator, bool unpredictable) {
  const auto* branch = llvm::dyn_cast<llvm::BranchInst>(&terminator);
  if (!branch || !branch->isConditional()) return false;
  std::optional<double> rate = misprediction_rate(*branch);
  if (!rate && branch->hasMetadata(llvm::LLVMContext::MD_unpredictable)) return true;
  if (!rate) rate = rarer_probability(*branch);
  return rate ? is_unpredictable(*rate) : unpredictable;
}

bool is_better_scalar(const llvm::Loop& loop, const llvm::DominatorTree& dominators,
                      const llvm::TargetTransformInfo& costs, bool unpredictable) {
  const llvm::BasicBlock* latch = loop.getLoopLatch();
  if (!loop.isInnermost() || !latch) return false;
  bool is_hard_inside = false, has_store = false;
  for (const llvm::BasicBlock* block : loop.blocks()) {
    // A branch that leaves the loop is predicted.
    bool stays = block != latch && llvm::all_of(llvm::successors(block), [&](const llvm::BasicBlock* to) {
                   return loop.contains(to);
                 });
    is_hard_inside |= stays && is_hard(*block->getTerminator(), unpredictable);
    if (dominators.dominates(block, latch)) continue;
    for (const llvm::Instruction& inst : *block) {
      if (is_division(inst)) return true;
      has_store |= is_scalar_store(inst, costs);
    }
  }
  return is_hard_inside && has_store;
}

}  // namespace

bool keep_loops_scalar(llvm::LoopInfo& loops, const llvm::DominatorTree& dominators,
                       const llvm::TargetTransformInfo& costs, bool unpredictable) {
  bool is_changed = false;
  for (llvm::Loop* loop : loops.getLoopsInPreorder()) {
    if (!is_better_scalar(*loop, dominators, costs, unpredictable)) continue;
    llvm::addStringMetadataToLoop(loop, "llvm.loop.vectorize.enable", 0);
    is_changed = true;
  }
  return is_changed;
}

}  // namespace psi::llvm_bridge
