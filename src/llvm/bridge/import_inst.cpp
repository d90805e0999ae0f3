// Instructions that compute: arithmetic, comparisons, conversions, select.

#include "llvm/bridge/import.h"

namespace psi::llvm_bridge {

Opcode opcode_of(unsigned op) {
  switch (op) {
    case llvm::Instruction::Add:
      return Opcode::Add;
    case llvm::Instruction::Sub:
      return Opcode::Sub;
    case llvm::Instruction::Mul:
      return Opcode::Mul;
    case llvm::Instruction::SDiv:
      return Opcode::Sdiv;
    case llvm::Instruction::UDiv:
      return Opcode::Udiv;
    case llvm::Instruction::SRem:
      return Opcode::Srem;
    case llvm::Instruction::URem:
      return Opcode::Urem;
    case llvm::Instruction::And:
      return Opcode::And;
    case llvm::Instruction::Or:
      return Opcode::Or;
    case llvm::Instruction::Xor:
      return Opcode::Xor;
    case llvm::Instruction::Shl:
      return Opcode::Shl;
    case llvm::Instruction::LShr:
      return Opcode::Lshr;
    case llvm::Instruction::AShr:
      return Opcode::Ashr;
    case llvm::Instruction::FAdd:
      return Opcode::Fadd;
    case llvm::Instruction::FSub:
      return Opcode::Fsub;
    case llvm::Instruction::FMul:
      return Opcode::Fmul;
    case llvm::Instruction::FDiv:
      return Opcode::Fdiv;
    case llvm::Instruction::FRem:
      return Opcode::Frem;
    case llvm::Instruction::FPTrunc:
      return Opcode::Fptrunc;
    case llvm::Instruction::FPExt:
      return Opcode::Fpext;
    case llvm::Instruction::FPToSI:
      return Opcode::Fptosi;
    case llvm::Instruction::FPToUI:
      return Opcode::Fptoui;
    case llvm::Instruction::SIToFP:
      return Opcode::Sitofp;
    case llvm::Instruction::UIToFP:
      return Opcode::Uitofp;
    case llvm::Instruction::PtrToInt:
      return Opcode::Ptrtoint;
    case llvm::Instruction::IntToPtr:
      return Opcode::Inttoptr;
    default:
      return Opcode::Bitcast;
  }
}

Cond cond_of(llvm::CmpInst::Predicate predicate) {
  switch (predicate) {
    case llvm::CmpInst::ICMP_EQ:
      return Cond::eq;
    case llvm::CmpInst::ICMP_NE:
      return Cond::ne;
    case llvm::CmpInst::ICMP_SLT:
      return Cond::lt;
    case llvm::CmpInst::ICMP_SLE:
      return Cond::le;
    case llvm::CmpInst::ICMP_SGT:
      return Cond::gt;
    case llvm::CmpInst::ICMP_SGE:
      return Cond::ge;
    case llvm::CmpInst::ICMP_ULT:
      return Cond::ult;
    case llvm::CmpInst::ICMP_ULE:
      return Cond::ule;
    case llvm::CmpInst::ICMP_UGT:
      return Cond::ugt;
    case llvm::CmpInst::ICMP_UGE:
      return Cond::uge;
    case llvm::CmpInst::FCMP_OEQ:
      return Cond::foeq;
    case llvm::CmpInst::FCMP_ONE:
      return Cond::fone;
    case llvm::CmpInst::FCMP_OLT:
      return Cond::folt;
    case llvm::CmpInst::FCMP_OLE:
      return Cond::fole;
    case llvm::CmpInst::FCMP_OGT:
      return Cond::fogt;
    case llvm::CmpInst::FCMP_OGE:
      return Cond::foge;
    case llvm::CmpInst::FCMP_ORD:
      return Cond::ford;
    case llvm::CmpInst::FCMP_UEQ:
      return Cond::fueq;
    case llvm::CmpInst::FCMP_UNE:
      return Cond::fune;
    case llvm::CmpInst::FCMP_ULT:
      return Cond::fult;
    case llvm::CmpInst::FCMP_ULE:
      return Cond::fule;
    case llvm::CmpInst::FCMP_UGT:
      return Cond::fugt;
    case llvm::CmpInst::FCMP_UGE:
      return Cond::fuge;
    default:
      return Cond::funo;
  }
}

namespace {

bool is_signed(Cond cond) { return cond >= Cond::lt && cond <= Cond::ge; }

}  // namespace

void FunctionImport::import_inst(const llvm::Instruction& inst) {
  if (is_wide(inst)) return import_wide(inst);
  switch (inst.getOpcode()) {
    case llvm::Instruction::Ret:
      return import_return(llvm::cast<llvm::ReturnInst>(inst));
    case llvm::Instruction::Br:
      return import_branch(llvm::cast<llvm::BranchInst>(inst));
    case llvm::Instruction::Switch:
      return import_switch(llvm::cast<llvm::SwitchInst>(inst));
    case llvm::Instruction::Unreachable:
      builder_->unreachable();
      return;
    case llvm::Instruction::Alloca:
      return import_alloca(llvm::cast<llvm::AllocaInst>(inst));
    case llvm::Instruction::Load:
      return import_load(llvm::cast<llvm::LoadInst>(inst));
    case llvm::Instruction::Store:
      return import_store(llvm::cast<llvm::StoreInst>(inst));
    case llvm::Instruction::GetElementPtr:
      return import_gep(llvm::cast<llvm::GEPOperator>(inst), inst);
    case llvm::Instruction::ICmp:
      return import_icmp(llvm::cast<llvm::CmpInst>(inst));
    case llvm::Instruction::FCmp:
      return import_fcmp(llvm::cast<llvm::CmpInst>(inst));
    case llvm::Instruction::PHI:
      return import_phi(llvm::cast<llvm::PHINode>(inst));
    case llvm::Instruction::Select:
      return import_select(llvm::cast<llvm::SelectInst>(inst));
    case llvm::Instruction::Call:
      return import_call(llvm::cast<llvm::CallInst>(inst));
    case llvm::Instruction::ExtractValue:
      return import_extract(llvm::cast<llvm::ExtractValueInst>(inst));
    case llvm::Instruction::InsertValue:
      return import_insert(llvm::cast<llvm::InsertValueInst>(inst));
    case llvm::Instruction::Freeze:
      return import_freeze(inst);
    case llvm::Instruction::FNeg: {
      Operand value = operand(*inst.getOperand(0));
      Type type = type_of(*inst.getType());
      if (failed()) return;
      define(inst).op(Opcode::Fneg, type, {value});
      return mark_fast(inst);
    }
    case llvm::Instruction::VAArg: {
      Operand list = operand(*inst.getOperand(0));
      Inst record;
      record.op = Opcode::VaArg;
      record.type = type_of(*inst.getType());
      if (non_native_width(*inst.getType())) fail("takes a variadic argument of a non-native width");
      record.results[0] = reg_of(inst);
      builder_->append(record, {&list, 1});
      return;
    }
    case llvm::Instruction::AtomicCmpXchg:
    case llvm::Instruction::AtomicRMW:
    case llvm::Instruction::Fence:
      return import_opaque(inst);
    default:
      break;
  }
  if (inst.isBinaryOp()) return import_binary(inst);
  if (inst.isCast()) return import_cast(llvm::cast<llvm::CastInst>(inst));
  if (inst.getType()->isVectorTy() || llvm::isa<llvm::ExtractElementInst>(inst)) return fail("uses a vector");
  fail(std::string(inst.isTerminator() ? "ends in " : "uses ") + inst.getOpcodeName());
}

void FunctionImport::import_binary(const llvm::Instruction& inst) {
  Type type = type_of(*inst.getType());
  if (failed()) return;
  Operand a = operand(*inst.getOperand(0));
  Operand b = operand(*inst.getOperand(1));
  Opcode op = opcode_of(inst.getOpcode());
  if (unsigned width = non_native_width(*inst.getType()))
    return import_non_native(inst, op, {a, b}, type, width);
  define(inst).op(op, type, {a, b});
  mark_fast(inst);
}

// --- Comparisons ----------------------------------------------------------------------------------------

void FunctionImport::import_icmp(const llvm::CmpInst& inst) {
  const llvm::Type& compared = *inst.getOperand(0)->getType();
  Type type = type_of(compared);
  if (failed()) return;
  Cond cond = cond_of(inst.getPredicate());
  Operand a = operand(*inst.getOperand(0));
  Operand b = operand(*inst.getOperand(1));
  if (unsigned width = non_native_width(compared); width && is_signed(cond)) {
    a = sign_extended(a, type, width);
    b = sign_extended(b, type, width);
  }
  define(inst).cmp(cond, type, a, b);
}

void FunctionImport::import_fcmp(const llvm::CmpInst& inst) {
  Type type = type_of(*inst.getOperand(0)->getType());
  if (failed()) return;
  llvm::CmpInst::Predicate predicate = inst.getPredicate();
  if (predicate == llvm::CmpInst::FCMP_FALSE || predicate == llvm::CmpInst::FCMP_TRUE) {
    return define_as(inst, literal(Type::i1, predicate == llvm::CmpInst::FCMP_TRUE));
  }
  Operand a = operand(*inst.getOperand(0));
  Operand b = operand(*inst.getOperand(1));
  define(inst).cmp(cond_of(predicate), type, a, b);
  mark_fast(inst);
}

// --- Conversions ----------------------------------------------------------------------------------------

void FunctionImport::import_cast(const llvm::CastInst& inst) {
  // Only irrelevant markers use a cast of a stack slot that is a register.
  if (is_promoted(*inst.getOperand(0))) return;
  Type from = type_of(*inst.getSrcTy());
  Type to = type_of(*inst.getDestTy());
  if (failed()) return;
  switch (inst.getOpcode()) {
    case llvm::Instruction::Trunc:
    case llvm::Instruction::ZExt:
    case llvm::Instruction::SExt:
      return import_int_cast(inst);
    case llvm::Instruction::BitCast:
      if (from == to) return define_as(inst, operand(*inst.getOperand(0)));
      break;
    default:
      break;
  }
  Opcode op = opcode_of(inst.getOpcode());
  Operand value = operand(*inst.getOperand(0));
  if (unsigned width = non_native_width(*inst.getSrcTy()); width && op == Opcode::Sitofp) {
    value = sign_extended(value, from, width);
  }
  if (unsigned width = non_native_width(*inst.getDestTy())) {
    return define_masked(inst, Operand::reg(builder_->convert(op, from, to, value)), to, width);
  }
  define(inst).convert(op, from, to, value);
}

void FunctionImport::import_int_cast(const llvm::CastInst& inst) {
  Type from = carrier(*inst.getSrcTy());
  Type to = carrier(*inst.getDestTy());
  unsigned width_from = non_native_width(*inst.getSrcTy());
  unsigned width_to = non_native_width(*inst.getDestTy());
  bool is_sext = inst.getOpcode() == llvm::Instruction::SExt;
  Operand value = operand(*inst.getOperand(0));
  if (is_sext && width_from) value = sign_extended(value, from, width_from);
  Opcode op = inst.getOpcode() == llvm::Instruction::Trunc ? Opcode::Trunc
              : is_sext                                    ? Opcode::Sext
                                                           : Opcode::Zext;
  // Bits above the width are cleared, unless there are none.
  if (width_to && op != Opcode::Zext) {
    if (from != to) value = Operand::reg(builder_->convert(op, from, to, value));
    return define_masked(inst, value, to, width_to);
  }
  if (from == to) return define_as(inst, value);
  define(inst).convert(op, from, to, value);
}

// --- Select and freeze ------------------------------------------------------------------------------------

void FunctionImport::import_select(const llvm::SelectInst& inst) {
  if (is_aggregate(*inst.getType())) return fail("chooses between structs with a select");
  Type type = type_of(*inst.getType());
  type_of(*inst.getCondition()->getType());
  if (failed()) return;
  Operand condition = operand(*inst.getCondition());
  Operand a = operand(*inst.getTrueValue());
  Operand b = operand(*inst.getFalseValue());
  define(inst).op(Opcode::Select, type, {condition, a, b});
  mark_fast(inst);
  if (inst.hasMetadata()) import_weights(inst, target_->insts(builder_->block()).back());
}

void FunctionImport::import_freeze(const llvm::Instruction& inst) {
  if (is_aggregate(*inst.getType())) return fail("freezes a struct");
  Type type = type_of(*inst.getType());
  if (failed()) return;
  Operand value = operand(*inst.getOperand(0));
  // The value that freeze chooses may have bits above a non-native width.
  if (unsigned width = non_native_width(*inst.getType())) {
    return define_masked(inst, emit(Opcode::Freeze, type, {value}), type, width);
  }
  define(inst).op(Opcode::Freeze, type, {value});
}

}  // namespace psi::llvm_bridge
