// Integers of 65 to 128 bits, as two registers of type i64. They come from bit-fields that cross a boundary
// of 64 bits, where they are loaded, shifted, masked and stored. The bits of the upper half above the width
// are always zero. Wide parameters and results, multiplications and divisions are not supported.

#include <llvm/IR/Constants.h>

#include "llvm/bridge/import.h"

namespace psi::llvm_bridge {
namespace {

unsigned width_of(const llvm::Value& value) { return value.getType()->getIntegerBitWidth(); }

Cond unsigned_cond(Cond cond) {
  switch (cond) {
    case Cond::lt:
      return Cond::ult;
    case Cond::le:
      return Cond::ule;
    case Cond::gt:
      return Cond::ugt;
    case Cond::ge:
      return Cond::uge;
    default:
      return cond;
  }
}

}  // namespace

bool FunctionImport::is_wide(const llvm::Instruction& inst) {
  auto wide = [](const llvm::Type& type) {
    return type.isIntegerTy() && type.getIntegerBitWidth() > 64 && type.getIntegerBitWidth() <= 128;
  };
  return wide(*inst.getType()) || (inst.getNumOperands() > 0 && wide(*inst.getOperand(0)->getType()));
}

void FunctionImport::import_wide(const llvm::Instruction& inst) {
  switch (inst.getOpcode()) {
    case llvm::Instruction::Load:
      return import_wide_load(llvm::cast<llvm::LoadInst>(inst));
    case llvm::Instruction::Store:
      return import_wide_store(llvm::cast<llvm::StoreInst>(inst));
    case llvm::Instruction::ZExt:
    case llvm::Instruction::SExt:
    case llvm::Instruction::Trunc:
      return import_wide_cast(llvm::cast<llvm::CastInst>(inst));
    case llvm::Instruction::And:
    case llvm::Instruction::Or:
    case llvm::Instruction::Xor:
    case llvm::Instruction::Add:
    case llvm::Instruction::Sub:
      return import_wide_binary(inst);
    case llvm::Instruction::Shl:
    case llvm::Instruction::LShr:
    case llvm::Instruction::AShr:
      return import_wide_shift(inst);
    case llvm::Instruction::ICmp:
      return import_wide_icmp(llvm::cast<llvm::CmpInst>(inst));
    case llvm::Instruction::Select: {
      Operand condition = operand(*inst.getOperand(0));
      Wide a = wide_operand(*inst.getOperand(1)), b = wide_operand(*inst.getOperand(2));
      if (failed()) return;
      return define_wide(inst, {emit(Opcode::Select, Type::i64, {condition, a.low, b.low}),
                                emit(Opcode::Select, Type::i64, {condition, a.high, b.high})});
    }
    case llvm::Instruction::Freeze: {
      Wide a = wide_operand(*inst.getOperand(0));
      if (failed()) return;
      return define_wide(
          inst, {emit(Opcode::Freeze, Type::i64, {a.low}), emit(Opcode::Freeze, Type::i64, {a.high})});
    }
    default:
      return fail("uses an integer wider than 64 bits");
  }
}

// --- Values -----------------------------------------------------------------------------------------------

FunctionImport::Wide FunctionImport::wide_operand(const llvm::Value& value) {
  if (const auto* number = llvm::dyn_cast<llvm::ConstantInt>(&value)) {
    const llvm::APInt& bits = number->getValue();
    return {literal(Type::i64, bits.extractBitsAsZExtValue(64, 0)),
            literal(Type::i64, bits.extractBitsAsZExtValue(bits.getBitWidth() - 64, 64))};
  }
  // Undef could have bits above the width.
  if (llvm::isa<llvm::UndefValue>(value)) return {literal(Type::i64, 0), literal(Type::i64, 0)};
  if (llvm::isa<llvm::Constant>(value) || llvm::isa<llvm::PHINode>(value) ||
      llvm::isa<llvm::Argument>(value) || llvm::isa<llvm::CallBase>(value)) {
    fail("uses an integer wider than 64 bits");
    return {literal(Type::i64, 0), literal(Type::i64, 0)};
  }
  auto [low, high] = wide_regs(value);
  return {Operand::reg(low), Operand::reg(high)};
}

std::pair<Reg, Reg> FunctionImport::wide_regs(const llvm::Value& value) {
  auto [at, added] = wide_regs_.try_emplace(&value);
  if (added) at->second = {target_->add_reg(Type::i64), target_->add_reg(Type::i64)};
  return at->second;
}

void FunctionImport::define_wide(const llvm::Instruction& inst, Wide value) {
  auto [low, high] = wide_regs(inst);
  unsigned upper = width_of(inst) - 64;
  builder_->into(low);
  builder_->op(Opcode::Mov, Type::i64, {value.low});
  builder_->into(high);
  if (upper == 64) {
    builder_->op(Opcode::Mov, Type::i64, {value.high});
  } else {
    builder_->op(Opcode::And, Type::i64, {value.high, literal(Type::i64, (uint64_t{1} << upper) - 1)});
  }
}

// The upper half with the sign in all its bits.
Operand FunctionImport::signed_high(Operand high, unsigned width) {
  return width == 128 ? high : sign_extended(high, Type::i64, width - 64);
}

// --- Memory -----------------------------------------------------------------------------------------

void FunctionImport::import_wide_load(const llvm::LoadInst& inst) {
  if (inst.isAtomic()) return fail("uses an integer wider than 64 bits");
  Operand address = operand(*inst.getPointerOperand());
  if (failed()) return;
  uint32_t flags = inst.isVolatile() ? Inst::kVolatile : 0;
  uint64_t align = std::min(inst.getAlign().value(), uint64_t{8});
  uint64_t bytes = layout_.getTypeStoreSize(inst.getType());
  Operand low = Operand::reg(builder_->load(Type::i64, address, align, flags));
  define_wide(inst, {low, load_bytes(Type::i64, bytes - 8, address_at(address, 8), align, flags)});
}

void FunctionImport::import_wide_store(const llvm::StoreInst& inst) {
  if (inst.isAtomic()) return fail("uses an integer wider than 64 bits");
  Wide value = wide_operand(*inst.getValueOperand());
  Operand address = operand(*inst.getPointerOperand());
  if (failed()) return;
  uint32_t flags = inst.isVolatile() ? Inst::kVolatile : 0;
  uint64_t align = std::min(inst.getAlign().value(), uint64_t{8});
  uint64_t bytes = layout_.getTypeStoreSize(inst.getValueOperand()->getType());
  builder_->store(Type::i64, value.low, address, align, flags);
  store_bytes(Type::i64, value.high, bytes - 8, address_at(address, 8), align, flags);
}

// --- Arithmetic -------------------------------------------------------------------------------------

void FunctionImport::import_wide_cast(const llvm::CastInst& inst) {
  const llvm::Value& source = *inst.getOperand(0);
  unsigned from = width_of(source), to = width_of(inst);
  if (from > 128 || to > 128) return fail("uses an integer wider than 64 bits");
  bool is_sext = inst.getOpcode() == llvm::Instruction::SExt;
  if (from > 64) {
    Wide value = wide_operand(source);
    if (failed()) return;
    if (to > 64) return define_wide(inst, {value.low, is_sext ? signed_high(value.high, from) : value.high});
    Type type = carrier(*inst.getType());
    Operand low = value.low;
    if (type != Type::i64) low = Operand::reg(builder_->convert(Opcode::Trunc, Type::i64, type, low));
    return non_native_width(*inst.getType()) ? define_masked(inst, low, type, to) : define_as(inst, low);
  }
  Type type = carrier(*source.getType());
  Operand low = operand(source);
  if (failed()) return;
  if (is_sext && non_native_width(*source.getType())) low = sign_extended(low, type, from);
  if (type != Type::i64) {
    low = Operand::reg(builder_->convert(is_sext ? Opcode::Sext : Opcode::Zext, type, Type::i64, low));
  }
  define_wide(inst, {low, is_sext ? emit(Opcode::Ashr, Type::i64, {low, literal(Type::i64, 63)})
                                  : literal(Type::i64, 0)});
}

void FunctionImport::import_wide_binary(const llvm::Instruction& inst) {
  Wide a = wide_operand(*inst.getOperand(0)), b = wide_operand(*inst.getOperand(1));
  if (failed()) return;
  Opcode op = opcode_of(inst.getOpcode());
  Operand low = emit(op, Type::i64, {a.low, b.low});
  Operand high = emit(op, Type::i64, {a.high, b.high});
  if (op == Opcode::Add || op == Opcode::Sub) {
    // Does the lower half carry into the upper one, or borrow from it?
    Opcode carries = op == Opcode::Add ? Opcode::UaddOverflow : Opcode::UsubOverflow;
    Operand carry = emit(carries, Type::i64, {a.low, b.low});
    high = emit(op, Type::i64,
                {high, Operand::reg(builder_->convert(Opcode::Zext, Type::i1, Type::i64, carry))});
  }
  define_wide(inst, {low, high});
}

// By a constant. Each half of the result takes bits from one half of the operand or from both.
void FunctionImport::import_wide_shift(const llvm::Instruction& inst) {
  const auto* amount = llvm::dyn_cast<llvm::ConstantInt>(inst.getOperand(1));
  Wide a = wide_operand(*inst.getOperand(0));
  if (!amount) fail("shifts an integer wider than 64 bits by a variable amount");
  if (failed()) return;
  unsigned width = width_of(inst);
  Operand zero = literal(Type::i64, 0);
  if (amount->getValue().uge(width)) return define_wide(inst, {zero, zero});  // poison
  auto by = static_cast<unsigned>(amount->getZExtValue());
  if (by == 0) return define_wide(inst, a);
  auto shift = [&](Opcode op, Operand value, unsigned count) {
    return count == 0 ? value : emit(op, Type::i64, {value, literal(Type::i64, count)});
  };
  auto merge = [&](Operand upper, Operand lower) { return emit(Opcode::Or, Type::i64, {upper, lower}); };
  if (inst.getOpcode() == llvm::Instruction::Shl) {
    if (by >= 64) return define_wide(inst, {zero, shift(Opcode::Shl, a.low, by - 64)});
    Operand high = merge(shift(Opcode::Shl, a.high, by), shift(Opcode::Lshr, a.low, 64 - by));
    return define_wide(inst, {shift(Opcode::Shl, a.low, by), high});
  }
  bool is_signed = inst.getOpcode() == llvm::Instruction::AShr;
  Opcode right = is_signed ? Opcode::Ashr : Opcode::Lshr;
  Operand high = is_signed ? signed_high(a.high, width) : a.high;
  if (by >= 64) {
    return define_wide(inst, {shift(right, high, by - 64), is_signed ? shift(right, high, 63) : zero});
  }
  Operand low = merge(shift(Opcode::Shl, high, 64 - by), shift(Opcode::Lshr, a.low, by));
  define_wide(inst, {low, shift(right, high, by)});
}

// The lower halves decide where the upper ones are equal.
void FunctionImport::import_wide_icmp(const llvm::CmpInst& inst) {
  Wide a = wide_operand(*inst.getOperand(0)), b = wide_operand(*inst.getOperand(1));
  if (failed()) return;
  Cond cond = cond_of(inst.getPredicate());
  if (cond != unsigned_cond(cond)) {
    a.high = signed_high(a.high, width_of(*inst.getOperand(0)));
    b.high = signed_high(b.high, width_of(*inst.getOperand(0)));
  }
  Operand same = Operand::reg(builder_->cmp(Cond::eq, Type::i64, a.high, b.high));
  Operand low = Operand::reg(builder_->cmp(unsigned_cond(cond), Type::i64, a.low, b.low));
  Operand high = Operand::reg(builder_->cmp(cond, Type::i64, a.high, b.high));
  define(inst).op(Opcode::Select, Type::i1, {same, low, high});
}

}  // namespace psi::llvm_bridge
