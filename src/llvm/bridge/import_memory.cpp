// Stack slots, loads, stores, and the arithmetic of addresses.

#include <llvm/Analysis/Loads.h>
#include <llvm/IR/GetElementPtrTypeIterator.h>

#include <algorithm>

#include "llvm/bridge/import.h"

namespace psi::llvm_bridge {
namespace {

// The verifier allows no more, and no target has more.
uint64_t align_value(llvm::Align align) { return std::min(align.value(), uint64_t{1} << 31); }

}  // namespace

void FunctionImport::import_alloca(const llvm::AllocaInst& inst) {
  if (is_promoted(inst)) return;
  if (inst.isUsedWithInAlloca() || inst.isSwiftError()) return fail("uses an alloca with a special meaning");
  type_of(*inst.getType());
  uint64_t size = size_of(*inst.getAllocatedType());
  if (failed()) return;
  Type word = target_->address_type();
  Operand bytes = literal(word, size);
  if (const auto* count = llvm::dyn_cast<llvm::ConstantInt>(inst.getArraySize())) {
    bytes = literal(word, size * count->getZExtValue());
  } else {
    const llvm::Value& elements = *inst.getArraySize();
    Type type = type_of(*elements.getType());
    Operand number = operand(elements);
    if (failed()) return;
    number = resized(number, type, Opcode::Zext);
    bytes = size == 1 ? number : emit(Opcode::Mul, word, {number, bytes});
  }
  define(inst).slot(bytes, align_value(inst.getAlign()));
}

void FunctionImport::import_load(const llvm::LoadInst& inst) {
  const llvm::Value& pointer = *inst.getPointerOperand();
  if (is_promoted(pointer)) return define_as(inst, Operand::reg(reg_of(pointer)));
  if (inst.isAtomic()) return import_opaque(inst);
  uint32_t flags = inst.isVolatile() ? Inst::kVolatile : 0;
  Operand address = operand(pointer);
  if (failed()) return;
  if (is_aggregate(*inst.getType())) {
    return copy_aggregate(*inst.getType(), Operand::reg(memory_of(inst)), address,
                          align_value(inst.getAlign()), flags);
  }
  if (carrier(*inst.getType()) == Type::none) return fail(unsupported_type(*inst.getType()));
  if (!inst.isVolatile() &&
      llvm::isDereferenceableAndAlignedPointer(&pointer, inst.getType(), inst.getAlign(), layout_)) {
    flags |= Inst::kDeref;
  }
  load_scalar(inst, address, align_value(inst.getAlign()), flags);
}

void FunctionImport::import_store(const llvm::StoreInst& inst) {
  const llvm::Value& pointer = *inst.getPointerOperand();
  const llvm::Value& value = *inst.getValueOperand();
  if (is_promoted(pointer)) {
    Operand stored = operand(value);
    builder_->into(reg_of(pointer));
    builder_->op(Opcode::Mov, target_->type(reg_of(pointer)), {stored});
    return;
  }
  if (inst.isAtomic()) return import_opaque(inst);
  uint32_t flags = inst.isVolatile() ? Inst::kVolatile : 0;
  Operand address = operand(pointer);
  if (failed()) return;
  if (is_aggregate(*value.getType()))
    return write_aggregate(value, address, align_value(inst.getAlign()), flags);
  store_scalar(value, address, align_value(inst.getAlign()), flags);
}

// --- Addresses ------------------------------------------------------------------------------------------

// Constant indices are summed in one offset; each other index is a ptrindex, the last of which adds the
// offset.
void FunctionImport::import_gep(const llvm::GEPOperator& gep, const llvm::Instruction& inst) {
  if (is_promoted(*gep.getPointerOperand())) return;  // only irrelevant markers use it
  type_of(*inst.getType());
  Operand base = operand(*gep.getPointerOperand());
  if (failed()) return;
  int64_t offset = 0;
  struct Variable {
    Operand index;
    int64_t scale;
  };
  llvm::SmallVector<Variable, 4> variables;
  for (auto at = llvm::gep_type_begin(gep), end = llvm::gep_type_end(gep); at != end; ++at) {
    const llvm::Value& index = *at.getOperand();
    if (llvm::StructType* type = at.getStructTypeOrNull()) {
      auto field = static_cast<unsigned>(llvm::cast<llvm::ConstantInt>(index).getZExtValue());
      offset += static_cast<int64_t>(uint64_t{layout_.getStructLayout(type)->getElementOffset(field)});
      continue;
    }
    llvm::TypeSize stride = at.getSequentialElementStride(layout_);
    if (stride.isScalable()) return fail("uses a vector");
    int64_t scale = static_cast<int64_t>(stride.getFixedValue());
    if (const auto* number = llvm::dyn_cast<llvm::ConstantInt>(&index)) {
      if (number->getBitWidth() > 64) return fail(unsupported_type(*number->getType()));
      offset =
          static_cast<int64_t>(static_cast<uint64_t>(offset) +
                               static_cast<uint64_t>(number->getSExtValue()) * static_cast<uint64_t>(scale));
      continue;
    }
    variables.push_back(
        {index_operand(index), target_->sign_extend(static_cast<uint64_t>(scale), Type::ptr)});
    if (failed()) return;
  }
  offset = target_->sign_extend(static_cast<uint64_t>(offset), Type::ptr);
  if (variables.empty()) {
    if (offset == 0) return define_as(inst, base);
    define(inst).ptradd(base, literal(target_->address_type(), offset));
    return;
  }
  for (const Variable& variable : variables) {
    bool is_last = &variable == &variables.back();
    if (is_last) define(inst);
    base = Operand::reg(builder_->ptrindex(base, variable.index, variable.scale, is_last ? offset : 0));
  }
}

// Indices are signed and as wide as addresses.
Operand FunctionImport::index_operand(const llvm::Value& index) {
  Type type = type_of(*index.getType());
  Operand value = operand(index);
  if (failed()) return value;
  if (unsigned width = non_native_width(*index.getType())) value = sign_extended(value, type, width);
  return resized(value, type, Opcode::Sext);
}

// In the width of addresses.
Operand FunctionImport::resized(Operand value, Type type, Opcode extend) {
  Type word = target_->address_type();
  if (type == word) return value;
  return Operand::reg(builder_->convert(type > word ? Opcode::Trunc : extend, type, word, value));
}

}  // namespace psi::llvm_bridge
