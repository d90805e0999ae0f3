#include "llvm/bridge/export_values.h"

#include <llvm/IR/Constants.h>
#include <llvm/IR/Module.h>

#include "psi/analysis/uses.h"

namespace psi::llvm_bridge {

llvm::Type* llvm_type(llvm::LLVMContext& context, Type type) {
  switch (type) {
    case Type::f32:
      return llvm::Type::getFloatTy(context);
    case Type::f64:
      return llvm::Type::getDoubleTy(context);
    case Type::ptr:
      return llvm::PointerType::get(context, 0);
    case Type::none:
      return llvm::Type::getVoidTy(context);
    default:
      return llvm::IntegerType::get(context, bit_width(type));
  }
}

ExportValues::ExportValues(const Module& module, const Function& function, Analyses& analyses,
                           llvm::Module& target, llvm::IRBuilder<>& builder)
    : module_(module),
      function_(function),
      target_(target),
      builder_(builder),
      needs_slot_(function.num_regs()),
      value_(function.num_regs()),
      slot_(function.num_regs()) {
  if (!is_ssa(function.form)) find_slots(analyses);
}

// In plain form a register is a value if it has one unguarded definition, and is read only after it in the
// same block.
void ExportValues::find_slots(Analyses& analyses) {
  const Uses& uses = analyses.get<Uses>();
  for (uint32_t i = 0; i < function_.num_regs(); ++i) {
    Reg r(i);
    size_t definitions = uses.definitions(r).size();
    if (definitions == 0) continue;  // a parameter or nothing
    bool is_value = definitions == 1 && !uses.is_param(r);
    if (is_value) {
      InstId definition = uses.definition(r);
      const Inst& inst = function_.inst(definition);
      int target = inst.results[0] == r ? 0 : 1;
      is_value = !inst.guard && !(inst.op == Opcode::Cmpp && is_partial(inst.action(target)));
      for (Use use : uses.uses(r)) {
        is_value = is_value && uses.block(use.inst) == uses.block(definition) &&
                   uses.position(use.inst) > uses.position(definition);
      }
    }
    needs_slot_[i] = !is_value;
  }
}

void ExportValues::make_slots() {
  for (uint32_t i = 0; i < function_.num_regs(); ++i) {
    if (!needs_slot_[i]) continue;
    std::string_view name = function_.name(Reg(i));
    slot_[i] = builder_.CreateAlloca(llvm_type(builder_.getContext(), function_.type(Reg(i))), nullptr,
                                     llvm::StringRef(name.data(), name.size()));
  }
}

llvm::Value* ExportValues::read(Reg r) {
  if (slot_[r.index()]) return builder_.CreateLoad(slot_[r.index()]->getAllocatedType(), slot_[r.index()]);
  if (value_[r.index()]) return value_[r.index()];
  // Unreachable code may read undefined registers.
  return llvm::PoisonValue::get(llvm_type(builder_.getContext(), function_.type(r)));
}

llvm::Value* ExportValues::read(Operand operand) {
  switch (operand.kind()) {
    case Operand::Kind::Reg:
      return read(operand.reg());
    case Operand::Kind::NotReg:
      return builder_.CreateNot(read(operand.reg()));
    case Operand::Kind::Undef:
      return llvm::UndefValue::get(llvm_type(builder_.getContext(), operand.literal_type()));
    case Operand::Kind::Symbol: {
      std::string_view name = module_.name(operand.symbol());
      return target_.getNamedValue(llvm::StringRef(name.data(), name.size()));
    }
    default:
      return literal(operand);
  }
}

llvm::Value* ExportValues::predicate(Operand operand) {
  return operand == Operand::always() ? builder_.getTrue() : read(operand);
}

void ExportValues::write(Reg r, llvm::Value* value, llvm::Value* guard) {
  llvm::AllocaInst* slot = slot_[r.index()];
  if (!slot) {
    value_[r.index()] = value;
    std::string_view name = function_.name(r);
    if (!name.empty() && llvm::isa<llvm::Instruction>(value) && !value->hasName()) {
      value->setName(llvm::StringRef(name.data(), name.size()));
    }
    return;
  }
  if (guard) value = builder_.CreateSelect(guard, value, read(r));
  builder_.CreateStore(value, slot);
}

llvm::Constant* ExportValues::literal(Operand operand) {
  llvm::LLVMContext& context = builder_.getContext();
  Type type = operand.literal_type();
  uint64_t bits = function_.literal_bits(operand);
  llvm::Type* target = llvm_type(context, type);
  if (is_int(type)) return llvm::ConstantInt::get(target, bits);
  if (type == Type::f32)
    return llvm::ConstantFP::get(context, llvm::APFloat(llvm::APFloat::IEEEsingle(), llvm::APInt(32, bits)));
  if (type == Type::f64)
    return llvm::ConstantFP::get(context, llvm::APFloat(llvm::APFloat::IEEEdouble(), llvm::APInt(64, bits)));
  llvm::Constant* address = llvm::ConstantInt::get(llvm_type(context, function_.address_type()), bits);
  return bits == 0 ? llvm::Constant::getNullValue(target) : llvm::ConstantExpr::getIntToPtr(address, target);
}

}  // namespace psi::llvm_bridge
