#include "llvm/foreseen_selects.h"

#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Instructions.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>

#include <algorithm>
#include <optional>
#include <vector>

#include "llvm/predictability.h"

namespace psi::llvm_bridge {
namespace {

// One that is mispredicted more often is as good as a select at best.
constexpr double kForeseen = 0.05;
// LLVM has no mark for what can be foreseen, only for what cannot; so often that which has none is missed.
constexpr double kUnmarked = 0.02;

// How often its condition would be mispredicted, if it is foreseen.
std::optional<double> foreseen(const llvm::SelectInst& select) {
  bool is_hard = select.hasMetadata(llvm::LLVMContext::MD_unpredictable);
  std::optional<double> rarer = rarer_share(select);
  if (is_hard || !rarer || !select.getCondition()->getType()->isIntegerTy(1)) return {};
  // It may be computed with the condition alone, and costs nothing then.
  if (select.getType()->isIntegerTy(1)) return {};
  double missed = missed_share(select).value_or(std::min(*rarer, kUnmarked));
  return missed <= kForeseen ? std::optional(missed) : std::nullopt;
}

bool has_any(const llvm::Function& function) {
  for (const llvm::BasicBlock& block : function) {
    for (const llvm::Instruction& inst : block) {
      const auto* select = llvm::dyn_cast<llvm::SelectInst>(&inst);
      if (select && foreseen(*select)) return true;
    }
  }
  return false;
}

// The first select, and those right behind it with the same condition.
void make_branch(llvm::SelectInst& first, double missed) {
  llvm::BasicBlock* head = first.getParent();
  llvm::Value* condition = first.getCondition();
  llvm::IRBuilder<> builder(&first);
  if (!llvm::isGuaranteedNotToBeUndefOrPoison(condition)) condition = builder.CreateFreeze(condition);
  llvm::MDNode* weights = first.getMetadata(llvm::LLVMContext::MD_prof);
  llvm::DebugLoc where = first.getDebugLoc();
  llvm::Value* decided = first.getCondition();

  llvm::BasicBlock* tail = llvm::SplitBlock(head, &first);
  llvm::BasicBlock* then = llvm::BasicBlock::Create(head->getContext(), "", head->getParent(), tail);
  llvm::BranchInst::Create(tail, then)->setDebugLoc(where);
  head->getTerminator()->eraseFromParent();
  auto* branch = llvm::BranchInst::Create(then, tail, condition, head);
  branch->setDebugLoc(where);
  branch->setMetadata(llvm::LLVMContext::MD_prof, weights);
  set_missed(*branch, missed);

  std::vector<llvm::SelectInst*> selects;
  for (llvm::Instruction& inst : *tail) {
    auto* select = llvm::dyn_cast<llvm::SelectInst>(&inst);
    if (!select || select->getCondition() != decided) break;
    selects.push_back(select);
  }
  for (llvm::SelectInst* select : selects) {
    auto* phi = llvm::PHINode::Create(select->getType(), 2);
    phi->insertBefore(tail->getFirstNonPHIIt());
    phi->addIncoming(select->getTrueValue(), then);
    phi->addIncoming(select->getFalseValue(), head);
    phi->setDebugLoc(select->getDebugLoc());
    phi->takeName(select);
    select->replaceAllUsesWith(phi);
    select->eraseFromParent();
  }
}

}  // namespace

bool branch_on_foreseen(llvm::Function& function) {
  if (!has_predictability(function) || !has_any(function)) return false;
  llvm::DominatorTree dominators(function);
  llvm::LoopInfo loops(dominators);
  std::vector<llvm::BasicBlock*> blocks;
  for (llvm::BasicBlock& block : function) {
    llvm::Loop* loop = loops.getLoopFor(&block);
    if (loop && loop->isInnermost()) blocks.push_back(&block);
  }
  bool is_changed = false;
  for (llvm::BasicBlock* block : blocks) {
    // What is split off follows.
    for (auto at = block->begin(); at != block->end();) {
      auto* select = llvm::dyn_cast<llvm::SelectInst>(&*at++);
      std::optional<double> missed = select ? foreseen(*select) : std::nullopt;
      if (!missed) continue;
      make_branch(*select, *missed);
      is_changed = true;
      block = block->getTerminator()->getSuccessor(1);
      at = block->begin();
    }
  }
  return is_changed;
}

}  // namespace psi::llvm_bridge
