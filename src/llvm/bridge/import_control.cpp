// Terminators, with their profile.

#include <llvm/IR/ProfDataUtils.h>

#include <cmath>

#include "llvm/bridge/import.h"
#include "llvm/profile/predictability.h"

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

// LLVM's weights say how often each target, or each value of a select, was taken, up to a factor, in the
// order of psic's. A branch that the source marks unpredictable has equal weights.
void FunctionImport::import_weights(const llvm::Instruction& inst, InstId decision) {
  const auto* select = llvm::dyn_cast<llvm::SelectInst>(&inst);
  std::optional<double> rate = misprediction_rate(inst);
  if (!rate && select) rate = unmarked_rate(*select);
  if (rate) target_->set_misprediction_rate(decision, static_cast<uint32_t>(std::lround(*rate * 100)));
  size_t num_targets = select ? 2 : inst.getNumSuccessors();
  if (!rate && inst.hasMetadata(llvm::LLVMContext::MD_unpredictable)) {
    if (select) return;
    llvm::SmallVector<uint64_t, 8> equal(num_targets, 1);
    target_->set_edge_counts(decision, {equal.data(), equal.size()});
    return;
  }
  if (!inst.hasMetadata(llvm::LLVMContext::MD_prof)) return;
  llvm::SmallVector<uint32_t, 8> weights;
  if (!llvm::extractBranchWeights(inst, weights) || weights.size() != num_targets) return;
  llvm::SmallVector<uint64_t, 8> counts(weights.begin(), weights.end());
  target_->set_edge_counts(decision, {counts.data(), counts.size()});
}

}  // namespace psi::llvm_bridge
