#include "llvm/foreseen_conditions.h"

#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/MDBuilder.h>
#include <llvm/IR/PatternMatch.h>

#include <algorithm>
#include <optional>
#include <vector>

#include "llvm/predictability.h"
#include "llvm/sinking.h"

namespace psi::llvm_bridge {
namespace {

// More often mispredicted, two branches are no better than one.
constexpr double kForeseenBoth = 0.02;

// Two branches for one, and how often each goes to its first side and is mispredicted.
struct Parts {
  llvm::SelectInst* select;
  bool is_or;  // the first decides if it is true; or else if it is false
  double first_true, second_true;
  double first_missed, second_missed;
};

void set_share(llvm::BranchInst& branch, double first) {
  constexpr double kWhole = 1 << 20;
  auto weight = static_cast<uint32_t>(std::clamp(first, 0.0, 1.0) * kWhole);
  branch.setMetadata(llvm::LLVMContext::MD_prof,
                     llvm::MDBuilder(branch.getContext())
                         .createBranchWeights(weight, static_cast<uint32_t>(kWhole) - weight));
}

// The select that joins the conditions of the branch: a condition, and one that is of interest if it does not
// decide. Null if that is not it.
llvm::SelectInst* joined(const llvm::BranchInst& branch) {
  if (branch.isUnconditional() || branch.getSuccessor(0) == branch.getSuccessor(1)) return nullptr;
  llvm::Value* condition = branch.getCondition();
  if (auto* frozen = llvm::dyn_cast<llvm::FreezeInst>(condition)) {
    if (frozen->hasOneUse()) condition = frozen->getOperand(0);
  }
  auto* select = llvm::dyn_cast<llvm::SelectInst>(condition);
  if (!select || !select->hasOneUse() || select->getParent() != branch.getParent()) return nullptr;
  using namespace llvm::PatternMatch;
  return match(select, m_LogicalAnd()) || match(select, m_LogicalOr()) ? select : nullptr;
}

// If all is known, and foreseen.
std::optional<Parts> parts(const llvm::BranchInst& branch) {
  llvm::SelectInst* select = joined(branch);
  // LLVM knows best what to do with a loop that is one block.
  if (!select || llvm::is_contained(branch.successors(), branch.getParent())) return {};
  bool is_hard = branch.hasMetadata(llvm::LLVMContext::MD_unpredictable) ||
                 select->hasMetadata(llvm::LLVMContext::MD_unpredictable);
  std::optional<double> first_true = first_share(*select), both_true = first_share(branch);
  if (is_hard || !first_true || !both_true) return {};

  Parts found;
  found.select = select;
  found.is_or = llvm::PatternMatch::match(select, llvm::PatternMatch::m_LogicalOr());
  found.first_true = *first_true;
  double open = found.is_or ? 1 - *first_true : *first_true;  // how often the second is looked at
  double second = found.is_or ? *both_true - *first_true : *both_true;
  found.second_true = open > 0 ? std::clamp(second / open, 0.0, 1.0) : 0.5;
  // Who foresees the first one and both of them foresees the second.
  double missed = missed_share(branch).value_or(kForeseenBoth);
  found.first_missed = std::min({missed_share(*select).value_or(missed), *first_true, 1 - *first_true});
  found.second_missed = open > 0 ? (missed + found.first_missed) / open : 0;
  found.second_missed = std::min({found.second_missed, found.second_true, 1 - found.second_true});
  bool is_foreseen = found.first_missed + open * found.second_missed <= kForeseenBoth;
  return is_foreseen ? std::optional(found) : std::nullopt;
}

llvm::Value* frozen(llvm::Value* value, llvm::Instruction* before) {
  if (llvm::isGuaranteedNotToBeUndefOrPoison(value)) return value;
  return llvm::IRBuilder<>(before).CreateFreeze(value);
}

void part(llvm::BranchInst& branch, const Parts& parts) {
  llvm::SelectInst& select = *parts.select;
  unsigned decided = parts.is_or ? 0 : 1;
  llvm::Value* second = parts.is_or ? select.getFalseValue() : select.getTrueValue();
  llvm::BasicBlock* head = branch.getParent();
  llvm::BasicBlock* tail =
      llvm::BasicBlock::Create(head->getContext(), "", head->getParent(), head->getNextNode());
  llvm::BasicBlock* to = branch.getSuccessor(decided);
  llvm::Value* both = branch.getCondition();

  auto& rest = llvm::cast<llvm::BranchInst>(*branch.clone());
  rest.insertInto(tail, tail->end());
  branch.setCondition(frozen(select.getCondition(), &branch));
  branch.setSuccessor(1 - decided, tail);
  rest.setCondition(frozen(second, &rest));
  set_share(branch, parts.first_true);
  set_share(rest, parts.second_true);
  set_missed(branch, parts.first_missed);
  set_missed(rest, parts.second_missed);
  for (llvm::PHINode& phi : to->phis()) phi.addIncoming(phi.getIncomingValueForBlock(head), tail);
  for (llvm::PHINode& phi : rest.getSuccessor(1 - decided)->phis()) phi.replaceIncomingBlockWith(head, tail);
  if (both != &select) llvm::cast<llvm::Instruction>(both)->eraseFromParent();
  select.eraseFromParent();
  // What only the second condition needs is computed behind the first branch.
  sink({second}, head, tail);
}

}  // namespace

bool part_foreseen_conditions(llvm::Function& function) {
  if (!has_predictability(function)) return false;
  llvm::DominatorTree dominators(function);
  llvm::LoopInfo loops(dominators);
  std::vector<llvm::BranchInst*> found;
  for (llvm::BasicBlock& block : function) {
    auto* branch = llvm::dyn_cast<llvm::BranchInst>(block.getTerminator());
    if (branch && loops.getLoopFor(&block) && parts(*branch)) found.push_back(branch);
  }
  for (llvm::BranchInst* branch : found) part(*branch, *parts(*branch));
  return !found.empty();
}

}  // namespace psi::llvm_bridge
