#include "llvm/passes/x86_forms.h"

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>

#include <vector>

namespace psi::llvm_bridge {
namespace {

constexpr const char* kFeatures = "target-features";
constexpr const char* kSlowSums = "slow-3ops-lea";

bool is_tuned(const llvm::Function& function) {
  return function.hasFnAttribute("tune-cpu") &&
         function.getFnAttribute("tune-cpu").getValueAsString() != "generic";
}

bool allow_sums(llvm::Function& function) {
  llvm::StringRef features = function.getFnAttribute(kFeatures).getValueAsString();
  if (is_tuned(function) || features.contains(kSlowSums)) return false;
  function.addFnAttr(kFeatures, (features.empty() ? "-" : features + ",-").str() + kSlowSums);
  return true;
}

// The value itself is live after, so that setting the bit must not overwrite its register.
bool is_set_in_copy(const llvm::Instruction& inst) {
  const auto* either = llvm::dyn_cast<llvm::PossiblyDisjointInst>(&inst);
  return either && either->isDisjoint() && inst.getType()->isIntegerTy() &&
         llvm::isa<llvm::ConstantInt>(inst.getOperand(1)) && inst.getOperand(0)->hasNUsesOrMore(2);
}

}  // namespace

bool prefer_lea(llvm::Function& function) {
  bool is_changed = allow_sums(function);
  std::vector<llvm::Instruction*> found;
  for (llvm::Instruction& inst : llvm::instructions(function)) {
    if (is_set_in_copy(inst)) found.push_back(&inst);
  }
  for (llvm::Instruction* either : found) {
    llvm::IRBuilder<> builder(either);
    llvm::Value* sum = builder.CreateAdd(either->getOperand(0), either->getOperand(1));
    either->replaceAllUsesWith(sum);
    sum->takeName(either);
    either->eraseFromParent();
  }
  return is_changed || !found.empty();
}

bool expand_minima_and_maxima(llvm::Function& function) {
  std::vector<llvm::MinMaxIntrinsic*> found;
  for (llvm::Instruction& inst : llvm::instructions(function)) {
    auto* min_max = llvm::dyn_cast<llvm::MinMaxIntrinsic>(&inst);
    if (min_max && min_max->getType()->isIntegerTy()) found.push_back(min_max);
  }
  for (llvm::MinMaxIntrinsic* min_max : found) {
    llvm::IRBuilder<> builder(min_max);
    llvm::Value *left = min_max->getLHS(), *right = min_max->getRHS();
    llvm::Value* select =
        builder.CreateSelect(builder.CreateICmp(min_max->getPredicate(), left, right), left, right);
    min_max->replaceAllUsesWith(select);
    select->takeName(min_max);
    min_max->eraseFromParent();
  }
  return !found.empty();
}

}  // namespace psi::llvm_bridge
