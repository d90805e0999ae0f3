// The values that registers of psic IR have in an LLVM function under construction.
#pragma once

#include <llvm/IR/IRBuilder.h>

#include <vector>

#include "psi/ir/module.h"
#include "psi/pass/analyses.h"

namespace psi::llvm_bridge {

llvm::Type* llvm_type(llvm::LLVMContext& context, Type type);

// A register with one definition, exported before every use, is a value. Any other (plain form) is a stack
// slot: writes are stores, reads are loads.
class ExportValues {
 public:
  ExportValues(const Module& module, const Function& function, Analyses& analyses, llvm::Module& target,
               llvm::IRBuilder<>& builder);

  // Slots for the registers that need one, at the builder's place.
  void make_slots();
  bool has_slot(Reg r) const { return slot_[r.index()] != nullptr; }

  // The current value of the register; null if it has none, or is a slot.
  llvm::Value* value(Reg r) const { return value_[r.index()]; }

  llvm::Value* read(Operand operand);
  llvm::Value* read(Reg r);
  // The condition of a guard or predicate operand.
  llvm::Value* predicate(Operand operand);
  // Writes the register; under a guard only where that holds.
  void write(Reg r, llvm::Value* value, llvm::Value* guard = nullptr);

 private:
  void find_slots(Analyses& analyses);
  llvm::Constant* literal(Operand operand);

  const Module& module_;
  const Function& function_;
  llvm::Module& target_;
  llvm::IRBuilder<>& builder_;
  std::vector<bool> needs_slot_;         // by Reg
  std::vector<llvm::Value*> value_;      // by Reg
  std::vector<llvm::AllocaInst*> slot_;  // by Reg
};

}  // namespace psi::llvm_bridge
