#include "llvm/bridge/export_variables.h"

namespace psi::llvm_bridge {
namespace {

// These refer to their stores and slot, which have changed.
bool is_tied_to_stores(const llvm::DbgRecord& record) {
  const auto* variable = llvm::dyn_cast<llvm::DbgVariableRecord>(&record);
  return variable && variable->isDbgAssign();
}

}  // namespace

ExportVariables::ExportVariables(const LlvmModule::Impl& impl, ExportOrigins& origins, ExportValues& values,
                                 llvm::Function& original, const Function& function)
    : impl_(impl), origins_(origins), values_(values) {
  if (!impl.keeps_origins || impl.regs.empty()) return;
  llvm::DenseSet<const llvm::Instruction*> present;
  for (BlockId b : function.layout()) {
    for (InstId id : function.insts(b)) present.insert(origins.of(function, id));
  }
  for (const llvm::BasicBlock& block : original) {
    std::vector<const llvm::DbgRecord*> waiting;
    for (const llvm::Instruction& inst : block) {
      for (const llvm::DbgRecord& record : inst.getDbgRecordRange()) {
        if (!is_tied_to_stores(record)) waiting.push_back(&record);
      }
      if (waiting.empty() || !present.contains(&inst)) continue;
      records_[&inst] = std::move(waiting);
      waiting.clear();
    }
  }
}

void ExportVariables::keep(llvm::Instruction& made, const llvm::Instruction& origin, BlockId b) {
  auto found = records_.find(&origin);
  if (found == records_.end()) return;
  // A speculated computation does not change a variable.
  if (origins_.is_executed_as_before(origin, b)) {
    for (const llvm::DbgRecord* record : found->second) {
      llvm::DbgRecord* copy = record->clone();
      if (auto* variable = llvm::dyn_cast<llvm::DbgVariableRecord>(copy)) relocate(*variable);
      made.getParent()->insertDbgRecordBefore(copy, made.getIterator());
    }
  }
  records_.erase(found);
}

// Maps values of the old body to the new one, or to unknown.
void ExportVariables::relocate(llvm::DbgVariableRecord& record) {
  llvm::SmallVector<llvm::Value*, 4> values(record.location_ops());
  bool is_known = true;
  llvm::SmallVector<llvm::Value*, 4> moved;
  for (llvm::Value* old : values) {
    llvm::Value* now = old;
    if (llvm::isa<llvm::Instruction>(old)) {
      auto reg = impl_.regs.find(old);
      now = reg == impl_.regs.end() ? nullptr : values_.value(reg->second);
    }
    is_known = is_known && now && now->getType() == old->getType();
    moved.push_back(now);
  }
  if (!is_known) return record.setKillLocation();
  for (unsigned i = 0; i < moved.size(); ++i) record.replaceVariableLocationOp(i, moved[i]);
}

}  // namespace psi::llvm_bridge
