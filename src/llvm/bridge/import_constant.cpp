// Constants as operands. Numbers, null and addresses of symbols are operands as they are; constant
// expressions become instructions right before their use, innermost first.

#include <llvm/IR/Constants.h>

#include "llvm/bridge/import.h"

namespace psi::llvm_bridge {

Operand FunctionImport::constant(const llvm::Constant& constant) {
  Type type = type_of(*constant.getType());
  if (failed()) return Operand::undef(type);
  if (const auto* number = llvm::dyn_cast<llvm::ConstantInt>(&constant))
    return literal(type, number->getZExtValue());
  if (const auto* real = llvm::dyn_cast<llvm::ConstantFP>(&constant)) {
    return literal(type, real->getValueAPF().bitcastToAPInt().getZExtValue());
  }
  if (llvm::isa<llvm::ConstantPointerNull>(constant)) return literal(type, 0);
  if (llvm::isa<llvm::UndefValue>(constant)) {
    // Undef could have bits above a non-native width.
    return non_native_width(*constant.getType()) ? literal(type, 0) : Operand::undef(type);
  }
  if (const auto* global = llvm::dyn_cast<llvm::GlobalValue>(&constant)) {
    auto at = context_.symbols.find(global);
    if (at != context_.symbols.end()) return Operand::symbol(at->second);
  }
  if (llvm::isa<llvm::ConstantExpr>(constant)) return expand(constant);
  fail(llvm::isa<llvm::BlockAddress>(constant) ? "takes the address of a block"
                                               : "uses a constant of an unknown kind");
  return Operand::undef(type);
}

Operand FunctionImport::defined_operand(const llvm::Value& value) {
  Operand result = operand(value);
  return result.is_undef() ? literal(result.literal_type(), 0) : result;
}

// Constant expressions can be nested deeply and share parts, so they are expanded from a stack.
Operand FunctionImport::expand(const llvm::Constant& root) {
  if (auto at = expanded_.find(&root); at != expanded_.end()) return at->second;
  llvm::SmallVector<const llvm::ConstantExpr*, 8> stack{llvm::cast<llvm::ConstantExpr>(&root)};
  while (!stack.empty()) {
    const llvm::ConstantExpr* top = stack.back();
    size_t depth = stack.size();
    for (const llvm::Use& use : top->operands()) {
      const auto* part = llvm::dyn_cast<llvm::ConstantExpr>(use.get());
      if (part && !expanded_.contains(part)) stack.push_back(part);
    }
    if (stack.size() != depth) continue;
    stack.pop_back();
    if (!expanded_.contains(top)) {
      Operand value = expand_one(*top);
      expanded_[top] = value;
    }
    if (failed()) break;
  }
  Operand result = expanded_.lookup(&root);
  expanded_.clear();
  return result;
}

// As the instruction that it would be.
Operand FunctionImport::expand_one(const llvm::ConstantExpr& expression) {
  llvm::Instruction* inst = expression.getAsInstruction();
  import_inst(*inst);
  Operand result = Operand::reg(reg_of(*inst));
  regs_.erase(inst);
  inst->deleteValue();
  return result;
}

}  // namespace psi::llvm_bridge
