#include "llvm/foreseen_selects.h"

#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/ValueHandle.h>
#include <llvm/Transforms/Utils/LoopUtils.h>

#include <algorithm>
#include <optional>
#include <vector>

#include "llvm/predictability.h"
#include "llvm/select_branches.h"

namespace psi::llvm_bridge {
namespace {

// One that is mispredicted more often is as good as a select at best.
constexpr double kForeseenChoice = 0.05;
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
  return missed <= kForeseenChoice ? std::optional(missed) : std::nullopt;
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

// Would a branch that is missed as often save more instructions than it costs?
bool is_better_branch(const llvm::SelectInst& select) {
  // In instructions: what could be executed until a misprediction is known, and what is lost by a jump, of
  // which the rarer side takes two.
  constexpr double kMiss = 80, kJump = 2;
  double saved = saved_by_branch(select, *first_share(select));
  return saved > kMiss * *foreseen(select) + 2 * kJump * *rarer_share(select);
}

// The selects of the loop that are foreseen, and whose result decides, rounds later, what they choose, so
// that it costs time to wait for them; or that compute much of which little is used.
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
  for (llvm::SelectInst* select : foreseen_ones) {
    if (is_better_branch(*select)) found.push_back(select);
  }
  return found;
}

}  // namespace

bool branch_on_foreseen(llvm::Function& function) {
  if (!has_predictability(function)) return false;
  llvm::DominatorTree dominators(function);
  llvm::LoopInfo loops(dominators);
  std::vector<llvm::WeakVH> all;
  for (llvm::Loop* loop : loops.getLoopsInPreorder()) {
    if (!loop->isInnermost()) continue;
    std::vector<llvm::SelectInst*> found = candidates(*loop);
    // Copies of the loop's end need phis behind it.
    if (!found.empty()) llvm::formLCSSA(*loop, dominators, &loops, nullptr);
    for (llvm::SelectInst* select : found) all.emplace_back(select);
  }
  // What comes last may leave what comes before it on one of its sides. Others go with one that has the same
  // condition.
  for (const llvm::WeakVH& value : llvm::reverse(all)) {
    auto* select = llvm::cast_or_null<llvm::SelectInst>(static_cast<llvm::Value*>(value));
    if (select) make_branch(*select, *foreseen(*select));
  }
  return !all.empty();
}

}  // namespace psi::llvm_bridge
