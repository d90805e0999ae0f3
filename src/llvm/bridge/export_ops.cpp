#include "llvm/bridge/export_ops.h"

#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/Intrinsics.h>

#include "llvm/bridge/export_values.h"

namespace psi::llvm_bridge {
namespace {

llvm::CmpInst::Predicate llvm_cond(Cond cond) {
  using P = llvm::CmpInst;
  constexpr std::array<llvm::CmpInst::Predicate, kNumConds> kTable = {
      P::ICMP_EQ,  P::ICMP_NE,  P::ICMP_SLT, P::ICMP_SLE, P::ICMP_SGT, P::ICMP_SGE, P::ICMP_ULT, P::ICMP_ULE,
      P::ICMP_UGT, P::ICMP_UGE, P::FCMP_OEQ, P::FCMP_ONE, P::FCMP_OLT, P::FCMP_OLE, P::FCMP_OGT, P::FCMP_OGE,
      P::FCMP_ORD, P::FCMP_UEQ, P::FCMP_UNE, P::FCMP_ULT, P::FCMP_ULE, P::FCMP_UGT, P::FCMP_UGE, P::FCMP_UNO};
  return kTable[static_cast<size_t>(cond)];
}

// psic's i1 `and` and `or` are decided by one operand even where the other is undef; LLVM's are not. An undef
// may be any value, so it may be frozen.
llvm::Value* frozen(llvm::IRBuilder<>& builder, llvm::Value* value) {
  return llvm::isGuaranteedNotToBeUndefOrPoison(value) ? value : builder.CreateFreeze(value);
}

// The other operand if one is NaN; -0.0 is less than 0.0.
llvm::Value* emit_fmin_fmax(llvm::IRBuilder<>& builder, bool is_min, llvm::Value* a, llvm::Value* b) {
  llvm::Value* both =
      builder.CreateBinaryIntrinsic(is_min ? llvm::Intrinsic::minimum : llvm::Intrinsic::maximum, a, b);
  llvm::Value* unless_b = builder.CreateSelect(builder.CreateFCmpUNO(b, b), a, both);
  return builder.CreateSelect(builder.CreateFCmpUNO(a, a), b, unless_b);
}

llvm::Value* emit_binary(llvm::IRBuilder<>& builder, const Inst& inst, llvm::Value* a, llvm::Value* b) {
  auto intrinsic = [&](llvm::Intrinsic::ID id) { return builder.CreateBinaryIntrinsic(id, a, b); };
  switch (inst.op) {
    case Opcode::Add:
      return builder.CreateAdd(a, b);
    case Opcode::Sub:
      return builder.CreateSub(a, b);
    case Opcode::Mul:
      return builder.CreateMul(a, b);
    case Opcode::Sdiv:
      return builder.CreateSDiv(a, b);
    case Opcode::Udiv:
      return builder.CreateUDiv(a, b);
    case Opcode::Srem:
      return builder.CreateSRem(a, b);
    case Opcode::Urem:
      return builder.CreateURem(a, b);
    case Opcode::And:
      if (inst.type == Type::i1) return builder.CreateAnd(frozen(builder, a), frozen(builder, b));
      return builder.CreateAnd(a, b);
    case Opcode::Or:
      if (inst.type == Type::i1) return builder.CreateOr(frozen(builder, a), frozen(builder, b));
      return builder.CreateOr(a, b);
    case Opcode::Xor:
      return builder.CreateXor(a, b);
    case Opcode::Shl:
      return builder.CreateShl(a, b);
    case Opcode::Lshr:
      return builder.CreateLShr(a, b);
    case Opcode::Ashr:
      return builder.CreateAShr(a, b);
    case Opcode::Smin:
      return intrinsic(llvm::Intrinsic::smin);
    case Opcode::Smax:
      return intrinsic(llvm::Intrinsic::smax);
    case Opcode::Umin:
      return intrinsic(llvm::Intrinsic::umin);
    case Opcode::Umax:
      return intrinsic(llvm::Intrinsic::umax);
    case Opcode::SaddSat:
      return intrinsic(llvm::Intrinsic::sadd_sat);
    case Opcode::UaddSat:
      return intrinsic(llvm::Intrinsic::uadd_sat);
    case Opcode::SsubSat:
      return intrinsic(llvm::Intrinsic::ssub_sat);
    case Opcode::UsubSat:
      return intrinsic(llvm::Intrinsic::usub_sat);
    case Opcode::Fadd:
      return builder.CreateFAdd(a, b);
    case Opcode::Fsub:
      return builder.CreateFSub(a, b);
    case Opcode::Fmul:
      return builder.CreateFMul(a, b);
    case Opcode::Fdiv:
      return builder.CreateFDiv(a, b);
    case Opcode::Frem:
      return builder.CreateFRem(a, b);
    case Opcode::Fmin:
    case Opcode::Fmax:
      return emit_fmin_fmax(builder, inst.op == Opcode::Fmin, a, b);
    case Opcode::CopySign:
      return intrinsic(llvm::Intrinsic::copysign);
    default:
      return nullptr;
  }
}

llvm::Value* emit_unary(llvm::IRBuilder<>& builder, Opcode op, llvm::Value* a) {
  auto intrinsic = [&](llvm::Intrinsic::ID id) { return builder.CreateUnaryIntrinsic(id, a); };
  // The last operand says that a special case may be poison; it may not.
  auto counting = [&](llvm::Intrinsic::ID id) {
    return builder.CreateBinaryIntrinsic(id, a, builder.getFalse());
  };
  switch (op) {
    case Opcode::Not:
      return builder.CreateNot(a);
    case Opcode::Neg:
      return builder.CreateNeg(a);
    case Opcode::Abs:
      return counting(llvm::Intrinsic::abs);
    case Opcode::Ctpop:
      return intrinsic(llvm::Intrinsic::ctpop);
    case Opcode::Ctlz:
      return counting(llvm::Intrinsic::ctlz);
    case Opcode::Cttz:
      return counting(llvm::Intrinsic::cttz);
    case Opcode::Bswap:
      return intrinsic(llvm::Intrinsic::bswap);
    case Opcode::BitReverse:
      return intrinsic(llvm::Intrinsic::bitreverse);
    case Opcode::Freeze:
      return builder.CreateFreeze(a);
    case Opcode::Fneg:
      return builder.CreateFNeg(a);
    case Opcode::Fabs:
      return intrinsic(llvm::Intrinsic::fabs);
    case Opcode::Sqrt:
      return intrinsic(llvm::Intrinsic::sqrt);
    case Opcode::Floor:
      return intrinsic(llvm::Intrinsic::floor);
    case Opcode::Ceil:
      return intrinsic(llvm::Intrinsic::ceil);
    case Opcode::Ftrunc:
      return intrinsic(llvm::Intrinsic::trunc);
    case Opcode::Rint:
      return intrinsic(llvm::Intrinsic::rint);
    case Opcode::Round:
      return intrinsic(llvm::Intrinsic::round);
    default:
      return nullptr;
  }
}

llvm::Value* emit_overflow(llvm::IRBuilder<>& builder, Opcode op, llvm::Value* a, llvm::Value* b) {
  llvm::Intrinsic::ID id = op == Opcode::SaddOverflow   ? llvm::Intrinsic::sadd_with_overflow
                           : op == Opcode::UaddOverflow ? llvm::Intrinsic::uadd_with_overflow
                           : op == Opcode::SsubOverflow ? llvm::Intrinsic::ssub_with_overflow
                           : op == Opcode::UsubOverflow ? llvm::Intrinsic::usub_with_overflow
                           : op == Opcode::SmulOverflow ? llvm::Intrinsic::smul_with_overflow
                                                        : llvm::Intrinsic::umul_with_overflow;
  return builder.CreateExtractValue(builder.CreateBinaryIntrinsic(id, a, b), 1);
}

llvm::Value* emit_convert(llvm::IRBuilder<>& builder, const Inst& inst, llvm::Value* a) {
  llvm::Type* to = llvm_type(builder.getContext(), inst.type);
  switch (inst.op) {
    case Opcode::Trunc:
      return builder.CreateTrunc(a, to);
    case Opcode::Zext:
      return builder.CreateZExt(a, to);
    case Opcode::Sext:
      return builder.CreateSExt(a, to);
    case Opcode::Fptrunc:
      return builder.CreateFPTrunc(a, to);
    case Opcode::Fpext:
      return builder.CreateFPExt(a, to);
    case Opcode::Fptosi:
      return builder.CreateFPToSI(a, to);
    case Opcode::Fptoui:
      return builder.CreateFPToUI(a, to);
    case Opcode::Sitofp:
      return builder.CreateSIToFP(a, to);
    case Opcode::Uitofp:
      return builder.CreateUIToFP(a, to);
    case Opcode::Bitcast:
      return builder.CreateBitCast(a, to);
    case Opcode::Ptrtoint:
      return builder.CreatePtrToInt(a, to);
    case Opcode::Inttoptr:
      return builder.CreateIntToPtr(a, to);
    default:
      return nullptr;
  }
}

llvm::Value* emit_ptrindex(llvm::IRBuilder<>& builder, std::span<llvm::Value* const> operands) {
  int64_t scale = llvm::cast<llvm::ConstantInt>(operands[2])->getSExtValue();
  llvm::Type* byte = builder.getInt8Ty();
  llvm::Value* address;
  // A stride that a type can have reads best; any other (0 or negative) is computed.
  if (scale > 0 && scale < (int64_t{1} << 32)) {
    llvm::Type* element = scale == 1 ? byte : llvm::ArrayType::get(byte, static_cast<uint64_t>(scale));
    address = builder.CreateGEP(element, operands[0], operands[1]);
  } else {
    address = builder.CreateGEP(byte, operands[0], builder.CreateMul(operands[1], operands[2]));
  }
  bool no_offset = llvm::cast<llvm::ConstantInt>(operands[3])->isZero();
  return no_offset ? address : builder.CreateGEP(byte, address, operands[3]);
}

}  // namespace

llvm::Value* emit_op(llvm::IRBuilder<>& builder, const Inst& inst, std::span<llvm::Value* const> operands) {
  llvm::IRBuilder<>::FastMathFlagGuard keep_flags(builder);
  llvm::FastMathFlags flags;
  if (inst.has_flag(Inst::kFast)) flags.setFast();
  builder.setFastMathFlags(flags);
  switch (inst.format()) {
    case Format::Binary:
      return emit_binary(builder, inst, operands[0], operands[1]);
    case Format::Unary:
      return emit_unary(builder, inst.op, operands[0]);
    case Format::Ternary: {
      llvm::Intrinsic::ID id = inst.op == Opcode::Fma    ? llvm::Intrinsic::fma
                               : inst.op == Opcode::Fshl ? llvm::Intrinsic::fshl
                                                         : llvm::Intrinsic::fshr;
      return builder.CreateIntrinsic(operands[0]->getType(), id, {operands[0], operands[1], operands[2]});
    }
    case Format::Overflow:
      return emit_overflow(builder, inst.op, operands[0], operands[1]);
    case Format::Compare:
      return builder.CreateCmp(llvm_cond(inst.cond()), operands[0], operands[1]);
    case Format::Convert:
      return emit_convert(builder, inst, operands[0]);
    case Format::Move:
      return operands[0];
    case Format::Select:
      return builder.CreateSelect(operands[0], operands[1], operands[2]);
    case Format::PtrAdd:
      return builder.CreateGEP(builder.getInt8Ty(), operands[0], operands[1]);
    case Format::PtrIndex:
      return emit_ptrindex(builder, operands);
    default:
      return nullptr;
  }
}

// The comparison counts only where the input is true, and may be poison elsewhere: so it is read by a select,
// never by an `and`.
std::array<llvm::Value*, 2> emit_cmpp(llvm::IRBuilder<>& builder, const Inst& inst, llvm::Value* a,
                                      llvm::Value* b, llvm::Value* input, std::array<llvm::Value*, 2> olds) {
  llvm::Value* holds = builder.CreateCmp(llvm_cond(inst.cond()), a, b);
  llvm::Value *yes = builder.getTrue(), *no = builder.getFalse();
  std::array<llvm::Value*, 2> results = {};
  for (int i = 0; i < 2; ++i) {
    Action action = inst.action(i);
    if (!inst.results[i] || action == Action::none) continue;
    llvm::Value* condition = is_complement(action) ? builder.CreateNot(holds) : holds;
    switch (action_class(action)) {
      case ActionClass::Unconditional:
        results[i] = builder.CreateSelect(input, condition, no);
        break;
      case ActionClass::ParallelOr:
        results[i] = builder.CreateSelect(builder.CreateSelect(input, condition, no), yes, olds[i]);
        break;
      case ActionClass::ParallelAnd:
        // Cleared where the input is true and the condition is not.
        results[i] =
            builder.CreateSelect(builder.CreateSelect(input, builder.CreateNot(condition), no), no, olds[i]);
        break;
      default:
        results[i] = builder.CreateSelect(input, condition, olds[i]);
        break;
    }
  }
  return results;
}

}  // namespace psi::llvm_bridge
