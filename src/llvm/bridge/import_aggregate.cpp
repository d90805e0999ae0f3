// Structs and arrays as values. Each value of such a type that an instruction computes has its own slot, made
// once at the entry: extractvalue loads from it, insertvalue copies its operand there and stores the new
// part, load and store copy memory. A value is not recomputed while the last one is still live, because no
// phi forwards one, so one slot is enough.

#include <llvm/IR/Constants.h>
#include <llvm/IR/IntrinsicInst.h>

#include <algorithm>
#include <bit>

#include "llvm/bridge/import.h"

namespace psi::llvm_bridge {
namespace {

// The known alignment of an address `offset` bytes after an aligned one.
uint64_t align_at(uint64_t align, uint64_t offset) {
  return offset == 0 ? align : std::min(align, uint64_t{1} << std::countr_zero(offset));
}

// Where the part that the indices name lies.
uint64_t offset_of(const llvm::DataLayout& layout, llvm::Type* type, llvm::ArrayRef<unsigned> indices) {
  uint64_t offset = 0;
  for (unsigned index : indices) {
    if (auto* fields = llvm::dyn_cast<llvm::StructType>(type)) {
      offset += layout.getStructLayout(fields)->getElementOffset(index);
      type = fields->getElementType(index);
    } else {
      type = type->getArrayElementType();
      offset += index * layout.getTypeAllocSize(type).getFixedValue();
    }
  }
  return offset;
}

// Types whose sizes add up to `bytes`, the largest first: memory that no one type covers is accessed in
// pieces.
llvm::SmallVector<Type, 3> pieces_of(uint64_t bytes) {
  llvm::SmallVector<Type, 3> pieces;
  for (Type type : {Type::i64, Type::i32, Type::i16, Type::i8}) {
    if (bytes & byte_size(type)) pieces.push_back(type);
  }
  return pieces;
}

}  // namespace

uint64_t FunctionImport::size_of(const llvm::Type& type) const {
  llvm::TypeSize size = layout_.getTypeAllocSize(const_cast<llvm::Type*>(&type));
  return size.isScalable() ? 0 : size.getFixedValue();
}

uint64_t FunctionImport::align_of(const llvm::Type& type) const {
  return layout_.getABITypeAlign(const_cast<llvm::Type*>(&type)).value();
}

Reg FunctionImport::memory_of(const llvm::Value& aggregate) {
  auto at = regs_.find(&aggregate);
  if (at != regs_.end()) return at->second;
  return make_entry_slot(aggregate, *aggregate.getType(), align_of(*aggregate.getType()));
}

Reg FunctionImport::make_entry_slot(const llvm::Value& value, const llvm::Type& type, uint64_t align) {
  llvm::StringRef name = value.getName();
  Reg reg = target_->add_reg(Type::ptr, {name.data(), name.size()});
  regs_[&value] = reg;
  Inst slot;
  slot.op = Opcode::Slot;
  slot.extra = static_cast<uint8_t>(std::countr_zero(align));
  slot.results[0] = reg;
  Operand size = literal(target_->address_type(), size_of(type));
  entry_insts_.push_back(target_->add_inst(slot, {&size, 1}));
  return reg;
}

Operand FunctionImport::address_at(Operand base, uint64_t offset) {
  if (offset == 0) return base;
  return Operand::reg(builder_->ptradd(base, literal(target_->address_type(), offset)));
}

// --- Parts ------------------------------------------------------------------------------------------------

Operand FunctionImport::load_bytes(Type type, uint64_t bytes, Operand address, uint64_t align,
                                   uint32_t flags) {
  if (bytes == target_->byte_size(type)) return Operand::reg(builder_->load(type, address, align, flags));
  uint64_t offset = 0;
  Operand value;
  for (Type piece : pieces_of(bytes)) {
    Operand part =
        Operand::reg(builder_->load(piece, address_at(address, offset), align_at(align, offset), flags));
    part = Operand::reg(builder_->convert(Opcode::Zext, piece, type, part));
    if (offset != 0) part = emit(Opcode::Shl, type, {part, literal(type, offset * 8)});
    value = offset == 0 ? part : emit(Opcode::Or, type, {value, part});
    offset += byte_size(piece);
  }
  return value;
}

void FunctionImport::store_bytes(Type type, Operand value, uint64_t bytes, Operand address, uint64_t align,
                                 uint32_t flags) {
  if (bytes == target_->byte_size(type)) {
    builder_->store(type, value, address, align, flags);
    return;
  }
  uint64_t offset = 0;
  for (Type piece : pieces_of(bytes)) {
    Operand part = value;
    if (offset != 0) part = emit(Opcode::Lshr, type, {part, literal(type, offset * 8)});
    part = Operand::reg(builder_->convert(Opcode::Trunc, type, piece, part));
    builder_->store(piece, part, address_at(address, offset), align_at(align, offset), flags);
    offset += byte_size(piece);
  }
}

void FunctionImport::load_scalar(const llvm::Instruction& inst, Operand address, uint64_t align,
                                 uint32_t flags) {
  Type type = type_of(*inst.getType());
  if (failed()) return;
  unsigned width = non_native_width(*inst.getType());
  if (width == 0) {
    define(inst).load(type, address, align, flags);
    return;
  }
  uint64_t bytes = layout_.getTypeStoreSize(inst.getType());
  define_masked(inst, load_bytes(type, bytes, address, align, flags), type, width);
}

void FunctionImport::store_scalar(const llvm::Value& value, Operand address, uint64_t align, uint32_t flags) {
  Type type = type_of(*value.getType());
  Operand stored = defined_operand(value);
  if (failed()) return;
  store_bytes(type, stored, layout_.getTypeStoreSize(value.getType()), address, align, flags);
}

// --- Wholes -----------------------------------------------------------------------------------------------

void FunctionImport::copy_aggregate(const llvm::Type& type, Operand to, Operand from, uint64_t align,
                                    uint32_t flags) {
  builder_->effect(Opcode::Memcpy, {to, from, literal(target_->address_type(), size_of(type))});
  last().extra = static_cast<uint8_t>(std::countr_zero(std::min(align, align_of(type))));
  last().flags = flags & 0xff;
}

void FunctionImport::write_aggregate(const llvm::Value& value, Operand address, uint64_t align,
                                     uint32_t flags) {
  if (const auto* constant = llvm::dyn_cast<llvm::Constant>(&value)) {
    return write_constant(*constant, address, align, flags);
  }
  if (llvm::isa<llvm::WithOverflowInst>(value))
    return fail("uses the pair of an overflow intrinsic as a whole");
  copy_aggregate(*value.getType(), address, Operand::reg(memory_of(value)), align, flags);
}

void FunctionImport::write_constant(const llvm::Constant& constant, Operand address, uint64_t align,
                                    uint32_t flags) {
  struct Part {
    const llvm::Constant* constant;
    uint64_t offset;
  };
  llvm::SmallVector<Part, 16> pending{{&constant, 0}};
  while (!pending.empty() && !failed()) {
    auto [part, offset] = pending.pop_back_val();
    llvm::Type* type = part->getType();
    if (llvm::isa<llvm::UndefValue>(part)) continue;
    if (!is_aggregate(*type)) {
      store_scalar(*part, address_at(address, offset), align_at(align, offset), flags);
      continue;
    }
    // The last first, so that they are written in order.
    unsigned count = type->isStructTy() ? type->getStructNumElements()
                                        : static_cast<unsigned>(type->getArrayNumElements());
    if (count > 1024) return fail("stores a large constant array");
    for (unsigned i = count; i-- > 0;) {
      pending.push_back({part->getAggregateElement(i), offset + offset_of(layout_, type, i)});
    }
  }
}

void FunctionImport::import_extract(const llvm::ExtractValueInst& inst) {
  const llvm::Value& whole = *inst.getAggregateOperand();
  if (const auto* call = llvm::dyn_cast<llvm::WithOverflowInst>(&whole)) {
    auto [value, overflows] = overflow_regs(*call);
    if (failed()) return;
    return define_as(inst, Operand::reg(inst.getIndices()[0] == 0 ? value : overflows));
  }
  if (const auto* constant = llvm::dyn_cast<llvm::Constant>(&whole)) {
    for (unsigned index : inst.getIndices())
      constant = constant ? constant->getAggregateElement(index) : nullptr;
    if (!constant || is_aggregate(*inst.getType())) return fail("extracts from a constant struct");
    return define_as(inst, operand(*constant));
  }
  uint64_t offset = offset_of(layout_, whole.getType(), inst.getIndices());
  uint64_t align = align_at(align_of(*whole.getType()), offset);
  Operand address = address_at(Operand::reg(memory_of(whole)), offset);
  if (is_aggregate(*inst.getType())) {
    return copy_aggregate(*inst.getType(), Operand::reg(memory_of(inst)), address, align, 0);
  }
  // The slot is there wherever the load is moved.
  load_scalar(inst, address, align, Inst::kDeref);
}

void FunctionImport::import_insert(const llvm::InsertValueInst& inst) {
  const llvm::Type& type = *inst.getType();
  Operand memory = Operand::reg(memory_of(inst));
  write_aggregate(*inst.getAggregateOperand(), memory, align_of(type), 0);
  uint64_t offset = offset_of(layout_, inst.getType(), inst.getIndices());
  const llvm::Value& part = *inst.getInsertedValueOperand();
  if (llvm::isa<llvm::UndefValue>(part) || failed()) return;
  uint64_t align = align_at(align_of(type), offset);
  Operand address = address_at(memory, offset);
  if (is_aggregate(*part.getType())) return write_aggregate(part, address, align, 0);
  store_scalar(part, address, align, 0);
}

}  // namespace psi::llvm_bridge
