// LLVM's intrinsics. Those that compute what an opcode computes are that instruction; markers that only
// inform the optimiser are dropped.

#include <llvm/IR/IntrinsicInst.h>

#include <algorithm>
#include <bit>

#include "llvm/bridge/import.h"

namespace psi::llvm_bridge {

namespace {

// Intrinsics that psic IR expresses only with a loss: LLVM's own instruction is better for functions that are
// written back.
bool is_better_opaque(llvm::Intrinsic::ID id) {
  using namespace llvm;
  switch (id) {
    case Intrinsic::lifetime_start:
    case Intrinsic::lifetime_end:
    case Intrinsic::memcpy_inline:
    case Intrinsic::memset_inline:
    case Intrinsic::minnum:
    case Intrinsic::maxnum:
    case Intrinsic::fmuladd:
      return true;
    default:
      return false;
  }
}

}  // namespace

bool FunctionImport::import_intrinsic(const llvm::CallInst& inst) {
  using namespace llvm;
  if (context_.impl.keeps_origins && is_better_opaque(inst.getIntrinsicID())) return false;
  switch (inst.getIntrinsicID()) {
    case Intrinsic::lifetime_start:
    case Intrinsic::lifetime_end:
    case Intrinsic::assume:
    case Intrinsic::dbg_assign:
    case Intrinsic::dbg_declare:
    case Intrinsic::dbg_label:
    case Intrinsic::dbg_value:
    case Intrinsic::donothing:
    case Intrinsic::invariant_end:
    case Intrinsic::pseudoprobe:
    case Intrinsic::var_annotation:
      return true;
    case Intrinsic::experimental_noalias_scope_decl:
      context_.impl.dropped_scopes = true;
      return true;
    case Intrinsic::expect:
    case Intrinsic::expect_with_probability:
      define_as(inst, operand(*inst.getArgOperand(0)));
      return true;
    case Intrinsic::is_constant:
      define_as(inst, literal(Type::i1, 0));
      return true;

    case Intrinsic::memcpy:
    case Intrinsic::memcpy_inline:
      import_mem(inst, Opcode::Memcpy);
      return true;
    case Intrinsic::memmove:
      import_mem(inst, Opcode::Memmove);
      return true;
    case Intrinsic::memset:
    case Intrinsic::memset_inline:
      import_mem(inst, Opcode::Memset);
      return true;

    case Intrinsic::vastart:
      builder_->effect(Opcode::VaStart, {operand(*inst.getArgOperand(0))});
      return true;
    case Intrinsic::vaend:
      builder_->effect(Opcode::VaEnd, {operand(*inst.getArgOperand(0))});
      return true;
    case Intrinsic::vacopy: {
      Operand to = operand(*inst.getArgOperand(0));
      builder_->effect(Opcode::VaCopy, {to, operand(*inst.getArgOperand(1))});
      return true;
    }

    // The additional operand of these makes some inputs give poison.
    case Intrinsic::abs:
      return import_arithmetic(inst, Opcode::Abs, 1);
    case Intrinsic::ctlz:
      return import_arithmetic(inst, Opcode::Ctlz, 1);
    case Intrinsic::cttz:
      return import_arithmetic(inst, Opcode::Cttz, 1);
    case Intrinsic::ctpop:
      return import_arithmetic(inst, Opcode::Ctpop, 1);
    case Intrinsic::bswap:
      return import_arithmetic(inst, Opcode::Bswap, 1);
    case Intrinsic::bitreverse:
      return import_arithmetic(inst, Opcode::BitReverse, 1);
    case Intrinsic::smin:
      return import_arithmetic(inst, Opcode::Smin, 2);
    case Intrinsic::smax:
      return import_arithmetic(inst, Opcode::Smax, 2);
    case Intrinsic::umin:
      return import_arithmetic(inst, Opcode::Umin, 2);
    case Intrinsic::umax:
      return import_arithmetic(inst, Opcode::Umax, 2);
    case Intrinsic::sadd_sat:
      return import_arithmetic(inst, Opcode::SaddSat, 2);
    case Intrinsic::uadd_sat:
      return import_arithmetic(inst, Opcode::UaddSat, 2);
    case Intrinsic::ssub_sat:
      return import_arithmetic(inst, Opcode::SsubSat, 2);
    case Intrinsic::usub_sat:
      return import_arithmetic(inst, Opcode::UsubSat, 2);
    case Intrinsic::fshl:
      return import_arithmetic(inst, Opcode::Fshl, 3);
    case Intrinsic::fshr:
      return import_arithmetic(inst, Opcode::Fshr, 3);

    case Intrinsic::fabs:
      return import_arithmetic(inst, Opcode::Fabs, 1);
    case Intrinsic::sqrt:
      return import_arithmetic(inst, Opcode::Sqrt, 1);
    case Intrinsic::floor:
      return import_arithmetic(inst, Opcode::Floor, 1);
    case Intrinsic::ceil:
      return import_arithmetic(inst, Opcode::Ceil, 1);
    case Intrinsic::trunc:
      return import_arithmetic(inst, Opcode::Ftrunc, 1);
    // All three round to nearest even: LLVM's default environment has no other mode.
    case Intrinsic::rint:
    case Intrinsic::nearbyint:
    case Intrinsic::roundeven:
      return import_arithmetic(inst, Opcode::Rint, 1);
    case Intrinsic::round:
      return import_arithmetic(inst, Opcode::Round, 1);
    case Intrinsic::copysign:
      return import_arithmetic(inst, Opcode::CopySign, 2);
    case Intrinsic::minnum:
      return import_arithmetic(inst, Opcode::Fmin, 2);
    case Intrinsic::maxnum:
      return import_arithmetic(inst, Opcode::Fmax, 2);
    case Intrinsic::fma:
      return import_arithmetic(inst, Opcode::Fma, 3);
    case Intrinsic::fmuladd: {
      Type type = type_of(*inst.getType());
      Operand a = operand(*inst.getArgOperand(0));
      Operand b = operand(*inst.getArgOperand(1));
      Operand c = operand(*inst.getArgOperand(2));
      if (failed()) return true;
      Operand product = emit(Opcode::Fmul, type, {a, b});
      mark_fast(inst);
      define(inst).op(Opcode::Fadd, type, {product, c});
      mark_fast(inst);
      return true;
    }

    case Intrinsic::sadd_with_overflow:
      import_overflow(inst, Opcode::SaddOverflow, Opcode::Add);
      return true;
    case Intrinsic::uadd_with_overflow:
      import_overflow(inst, Opcode::UaddOverflow, Opcode::Add);
      return true;
    case Intrinsic::ssub_with_overflow:
      import_overflow(inst, Opcode::SsubOverflow, Opcode::Sub);
      return true;
    case Intrinsic::usub_with_overflow:
      import_overflow(inst, Opcode::UsubOverflow, Opcode::Sub);
      return true;
    case Intrinsic::smul_with_overflow:
      import_overflow(inst, Opcode::SmulOverflow, Opcode::Mul);
      return true;
    case Intrinsic::umul_with_overflow:
      import_overflow(inst, Opcode::UmulOverflow, Opcode::Mul);
      return true;
    default:
      return false;
  }
}

bool FunctionImport::import_arithmetic(const llvm::CallInst& inst, Opcode op, unsigned num_operands) {
  Type type = type_of(*inst.getType());
  if (failed()) return true;
  Operands operands;
  for (unsigned i = 0; i < num_operands; ++i) operands.push_back(operand(*inst.getArgOperand(i)));
  if (unsigned width = non_native_width(*inst.getType())) {
    import_non_native(inst, op, operands, type, width);
    return true;
  }
  define(inst).op(op, type, {operands.data(), operands.size()});
  mark_fast(inst);
  return true;
}

void FunctionImport::import_mem(const llvm::CallInst& inst, Opcode op) {
  const auto& source = llvm::cast<llvm::MemIntrinsic>(inst);
  type_of(*source.getRawDest()->getType());
  Operand to = operand(*source.getRawDest());
  Operand what = operand(*source.getArgOperand(1));
  uint64_t align = source.getDestAlign().valueOrOne().value();
  if (const auto* copy = llvm::dyn_cast<llvm::MemTransferInst>(&inst)) {
    type_of(*copy->getRawSource()->getType());
    align = std::min(align, copy->getSourceAlign().valueOrOne().value());
  } else if (what.is_undef()) {
    what = literal(Type::i8, 0);
  }
  Type type = type_of(*source.getLength()->getType());
  Operand size = operand(*source.getLength());
  if (failed()) return;
  if (const auto* number = llvm::dyn_cast<llvm::ConstantInt>(source.getLength())) {
    size = literal(target_->address_type(), number->getZExtValue());
  } else {
    size = resized(size, type, Opcode::Zext);
  }
  builder_->effect(op, {to, what, size});
  last().extra = static_cast<uint8_t>(std::min(std::countr_zero(align), 31));
  if (source.isVolatile()) last().flags |= Inst::kVolatile;
}

// --- Overflow ---------------------------------------------------------------------------------------------

std::pair<Reg, Reg> FunctionImport::overflow_regs(const llvm::Value& inst) {
  auto [at, added] = regs_.try_emplace(&inst);
  if (added) {
    at->second = target_->add_reg(type_of(*inst.getType()->getStructElementType(0)));
    overflow_bits_[&inst] = target_->add_reg(Type::i1);
  }
  return {at->second, overflow_bits_.lookup(&inst)};
}

void FunctionImport::import_overflow(const llvm::CallInst& inst, Opcode op, Opcode value_op) {
  const llvm::Type& operand_type = *inst.getArgOperand(0)->getType();
  Type type = type_of(operand_type);
  if (failed()) return;
  auto [value, overflows] = overflow_regs(inst);
  Operand a = operand(*inst.getArgOperand(0));
  Operand b = operand(*inst.getArgOperand(1));
  if (unsigned width = non_native_width(operand_type)) {
    Operand bit = non_native_overflow(op, a, b, type, width);
    Operand wide = emit(value_op, type, {a, b});
    builder_->into(value);
    builder_->op(Opcode::And, type, {wide, literal(type, (uint64_t{1} << width) - 1)});
    builder_->into(overflows);
    builder_->op(Opcode::Mov, Type::i1, {bit});
    return;
  }
  builder_->into(value);
  builder_->op(value_op, type, {a, b});
  builder_->into(overflows);
  builder_->op(op, type, {a, b});
}

}  // namespace psi::llvm_bridge
