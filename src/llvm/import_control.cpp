// Terminators, with their profile.

#include <llvm/IR/ProfDataUtils.h>

#include <cmath>

#include "llvm/import.h"
#include "llvm/predictability.h"

namespace psi::llvm_bridge {

void FunctionImport::import_branch(const llvm::BranchInst& inst) {
  if (inst.isUnconditional()) {
    builder_->br(block_of(*inst.getSuccessor(0)));
    return;
  }
  Operand condition = operand(*inst.getCondition());
  InstId id = builder_->br(condition, block_of(*inst.getSuccessor(0)), block_of(*inst.getSuccessor(1)));
  import_weights(inst, id);
}

void FunctionImport::import_switch(const llvm::SwitchInst& inst) {
  Type type = type_of(*inst.getCondition()->getType());
  if (failed()) return;
  Operands operands;
  operands.push_back(operand(*inst.getCondition()));
  operands.push_back(Operand::block(block_of(*inst.getDefaultDest())));
  for (const auto& option : inst.cases()) {
    operands.push_back(literal(type, option.getCaseValue()->getZExtValue()));
    operands.push_back(Operand::block(block_of(*option.getCaseSuccessor())));
  }
  Inst record;
  record.op = Opcode::Switch;
  record.type = type;
  import_weights(inst, builder_->append(record, {operands.data(), operands.size()}));
}

void FunctionImport::import_return(const llvm::ReturnInst& inst) {
  const llvm::Value* value = inst.getReturnValue();
  if (value && is_aggregate(*value->getType())) {
    write_aggregate(*value, Operand::reg(result_memory_), align_of(*value->getType()), 0);
    value = nullptr;
  }
  Operand result = value ? defined_operand(*value) : Operand();
  builder_->ret(result);
}

// LLVM's weights say how often each target was taken, up to a factor, in the order of psic's targets. A
// branch that the source says to be unpredictable goes either way as often.
void FunctionImport::import_weights(const llvm::Instruction& inst, InstId terminator) {
  std::optional<double> missed = missed_share(inst);
  if (missed) target_->set_missed(terminator, static_cast<uint32_t>(std::lround(*missed * 100)));
  if (!missed && inst.hasMetadata(llvm::LLVMContext::MD_unpredictable)) {
    llvm::SmallVector<uint64_t, 8> equal(inst.getNumSuccessors(), 1);
    target_->set_edge_counts(terminator, {equal.data(), equal.size()});
    return;
  }
  if (!inst.hasMetadata(llvm::LLVMContext::MD_prof)) return;
  llvm::SmallVector<uint32_t, 8> weights;
  if (!llvm::extractBranchWeights(inst, weights) || weights.size() != inst.getNumSuccessors()) return;
  llvm::SmallVector<uint64_t, 8> counts(weights.begin(), weights.end());
  target_->set_edge_counts(terminator, {counts.data(), counts.size()});
}

}  // namespace psi::llvm_bridge
