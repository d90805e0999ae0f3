#include "llvm/foreseen_selects.h"

#include <llvm/ADT/SmallPtrSet.h>
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
// Larger loops are not looked at.
constexpr size_t kMaxInsts = 1000;

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

using Values = llvm::SmallPtrSet<const llvm::Value*, 32>;

// All of the loop that is computed from the phi in the same round.
Values computed_from(const llvm::PHINode& phi, const llvm::Loop& loop) {
  Values found;
  std::vector<const llvm::Value*> work = {&phi};
  while (!work.empty()) {
    const llvm::Value* value = work.back();
    work.pop_back();
    if (!found.insert(value).second) continue;
    for (const llvm::User* user : value->users()) {
      const auto* inst = llvm::cast<llvm::Instruction>(user);
      bool is_next_round = llvm::isa<llvm::PHINode>(inst) && inst->getParent() == loop.getHeader();
      if (loop.contains(inst) && !is_next_round) work.push_back(inst);
    }
  }
  return found;
}

// All of the loop that the phi's value in the next round is computed from.
Values leading_to(const llvm::PHINode& phi, const llvm::Loop& loop) {
  Values found;
  std::vector<const llvm::Value*> work;
  for (const llvm::BasicBlock* from : phi.blocks()) {
    if (loop.contains(from)) work.push_back(phi.getIncomingValueForBlock(from));
  }
  while (!work.empty()) {
    const auto* inst = llvm::dyn_cast<llvm::Instruction>(work.back());
    work.pop_back();
    if (!inst || !loop.contains(inst) || !found.insert(inst).second) continue;
    if (llvm::isa<llvm::PHINode>(inst) && inst->getParent() == loop.getHeader()) continue;
    for (const llvm::Value* operand : inst->operands()) work.push_back(operand);
  }
  return found;
}

// The selects of the loop that are foreseen and whose result decides, rounds later, what they choose: only
// there does it cost time to wait for them.
std::vector<llvm::SelectInst*> candidates(const llvm::Loop& loop) {
  std::vector<llvm::SelectInst*> foreseen_ones, found;
  size_t size = 0;
  for (llvm::BasicBlock* block : loop.blocks()) {
    size += block->size();
    for (llvm::Instruction& inst : *block) {
      auto* select = llvm::dyn_cast<llvm::SelectInst>(&inst);
      if (select && foreseen(*select)) foreseen_ones.push_back(select);
    }
  }
  if (foreseen_ones.empty() || size > kMaxInsts) return {};
  for (const llvm::PHINode& phi : loop.getHeader()->phis()) {
    Values later = computed_from(phi, loop), before = leading_to(phi, loop);
    std::erase_if(foreseen_ones, [&](llvm::SelectInst* select) {
      bool is_carried = later.contains(select->getCondition()) && before.contains(select);
      if (is_carried) found.push_back(select);
      return is_carried;
    });
  }
  return found;
}

// The first select, and those right behind it with the same condition.
void make_branch(llvm::SelectInst& first, double missed, llvm::SmallPtrSetImpl<llvm::SelectInst*>& gone) {
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
    gone.insert(select);
    select->eraseFromParent();
  }
}

}  // namespace

bool branch_on_foreseen(llvm::Function& function) {
  if (!has_predictability(function)) return false;
  llvm::DominatorTree dominators(function);
  llvm::LoopInfo loops(dominators);
  std::vector<llvm::SelectInst*> all;
  for (const llvm::Loop* loop : loops.getLoopsInPreorder()) {
    if (!loop->isInnermost()) continue;
    std::vector<llvm::SelectInst*> found = candidates(*loop);
    all.insert(all.end(), found.begin(), found.end());
  }
  llvm::SmallPtrSet<llvm::SelectInst*, 8> gone;
  for (llvm::SelectInst* select : all) {
    if (!gone.contains(select)) make_branch(*select, *foreseen(*select), gone);
  }
  return !all.empty();
}

}  // namespace psi::llvm_bridge
