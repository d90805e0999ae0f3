#include "llvm/passes/conditional_shifts.h"

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/InstrTypes.h>
#include <llvm/IR/PatternMatch.h>

#include <vector>

namespace psi::llvm_bridge {
namespace {

using Costs = llvm::TargetTransformInfo;

// The condition of a shift by one; null for other instructions.
llvm::Value* shift_condition(llvm::Instruction& inst) {
  llvm::Value* condition = nullptr;
  bool is_it = inst.isShift() &&
               llvm::PatternMatch::match(inst.getOperand(1),
                                         llvm::PatternMatch::m_ZExt(llvm::PatternMatch::m_Value(condition)));
  return is_it && condition->getType()->isIntOrIntVectorTy(1) ? condition : nullptr;
}

bool is_cheaper_select(const llvm::Instruction& shift, const llvm::Value& condition, const Costs& costs) {
  constexpr auto kKind = Costs::TCK_RecipThroughput;
  llvm::Type* type = shift.getType();
  llvm::InstructionCost by_any = costs.getArithmeticInstrCost(shift.getOpcode(), type, kKind);
  llvm::InstructionCost by_one =
      costs.getArithmeticInstrCost(shift.getOpcode(), type, kKind, {Costs::OK_AnyValue, Costs::OP_None},
                                   {Costs::OK_UniformConstantValue, Costs::OP_None});
  llvm::InstructionCost select = costs.getCmpSelInstrCost(
      llvm::Instruction::Select, type, condition.getType(), llvm::CmpInst::BAD_ICMP_PREDICATE, kKind);
  return by_one + select < by_any;
}

}  // namespace

bool select_conditional_shifts(llvm::Function& function, const llvm::TargetTransformInfo& costs) {
  std::vector<llvm::Instruction*> found;
  for (llvm::Instruction& inst : llvm::instructions(function)) {
    const llvm::Value* by = shift_condition(inst);
    if (by && is_cheaper_select(inst, *by, costs)) found.push_back(&inst);
  }
  for (llvm::Instruction* shift : found) {
    llvm::IRBuilder<> builder(shift);
    llvm::Value* by = shift_condition(*shift);
    llvm::Value* amount = shift->getOperand(1);
    llvm::Instruction* by_one = shift->clone();
    by_one->setOperand(1, llvm::ConstantInt::get(shift->getType(), 1));
    // Flags hold only where the shift is executed.
    by_one->dropPoisonGeneratingFlags();
    builder.Insert(by_one);
    llvm::Value* select = builder.CreateSelect(by, by_one, shift->getOperand(0));
    shift->replaceAllUsesWith(select);
    select->takeName(shift);
    shift->eraseFromParent();
    if (amount->use_empty()) llvm::cast<llvm::Instruction>(amount)->eraseFromParent();
  }
  return !found.empty();
}

}  // namespace psi::llvm_bridge
