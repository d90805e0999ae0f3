// Integers of widths that psic IR lacks, in the next wider type. The bits above the width are always zero:
// instructions that could set them are followed by an `and`, signed operations work on the sign extended
// value, and saturation and overflow on the value moved to the upper end, where the wider type saturates and
// overflows just as the narrow one.

#include "llvm/bridge/import.h"

namespace psi::llvm_bridge {

Operand FunctionImport::at_top(Operand value, Type type, unsigned width) {
  return emit(Opcode::Shl, type, {value, literal(type, bit_width(type) - width)});
}

Operand FunctionImport::sign_extended(Operand value, Type type, unsigned width) {
  return emit(Opcode::Ashr, type, {at_top(value, type, width), literal(type, bit_width(type) - width)});
}

void FunctionImport::define_masked(const llvm::Instruction& inst, Operand value, Type type, unsigned width) {
  define(inst).op(Opcode::And, type, {value, literal(type, (uint64_t{1} << width) - 1)});
}

void FunctionImport::import_non_native(const llvm::Instruction& inst, Opcode op,
                                       llvm::ArrayRef<Operand> operands, Type type, unsigned width) {
  Operand a = operands[0];
  Operand b = operands.size() > 1 ? operands[1] : Operand();
  uint64_t above = bit_width(type) - width;
  switch (op) {
    case Opcode::And:
    case Opcode::Or:
    case Opcode::Xor:
    case Opcode::Udiv:
    case Opcode::Urem:
    case Opcode::Lshr:
    case Opcode::Umin:
    case Opcode::Umax:
      define(inst).op(op, type, {a, b});
      return;
    case Opcode::Add:
    case Opcode::Sub:
    case Opcode::Mul:
    case Opcode::Shl:
      return define_masked(inst, emit(op, type, {a, b}), type, width);
    case Opcode::Sdiv:
    case Opcode::Srem:
    case Opcode::Smin:
    case Opcode::Smax:
      a = sign_extended(a, type, width);
      b = sign_extended(b, type, width);
      return define_masked(inst, emit(op, type, {a, b}), type, width);
    case Opcode::Ashr:
      a = sign_extended(a, type, width);
      return define_masked(inst, emit(op, type, {a, b}), type, width);
    case Opcode::SaddSat:
    case Opcode::UaddSat:
    case Opcode::SsubSat:
    case Opcode::UsubSat:
      a = emit(op, type, {at_top(a, type, width), at_top(b, type, width)});
      define(inst).op(Opcode::Lshr, type, {a, literal(type, above)});
      return;
    case Opcode::Abs:
      return define_masked(inst, emit(op, type, {sign_extended(a, type, width)}), type, width);
    case Opcode::Ctpop:
      define(inst).op(op, type, {a});
      return;
    case Opcode::Ctlz:
      a = emit(op, type, {a});
      define(inst).op(Opcode::Sub, type, {a, literal(type, above)});
      return;
    case Opcode::Cttz:
      // A bit above the width ends the count there.
      a = emit(Opcode::Or, type, {a, literal(type, uint64_t{1} << width)});
      define(inst).op(op, type, {a});
      return;
    case Opcode::Bswap:
    case Opcode::BitReverse:
      a = emit(op, type, {a});
      define(inst).op(Opcode::Lshr, type, {a, literal(type, above)});
      return;
    case Opcode::Fshl:
    case Opcode::Fshr:
      return import_non_native_funnel(inst, op, operands, type, width);
    default:
      return fail("computes with an integer of a non-native width");
  }
}

// Both halves by shifts. A shift by the width itself is within the wider type, and leaves nothing below the
// width.
void FunctionImport::import_non_native_funnel(const llvm::Instruction& inst, Opcode op,
                                              llvm::ArrayRef<Operand> operands, Type type, unsigned width) {
  Operand amount = emit(Opcode::Urem, type, {operands[2], literal(type, uint64_t{width})});
  Operand other = emit(Opcode::Sub, type, {literal(type, uint64_t{width}), amount});
  bool left = op == Opcode::Fshl;
  Operand upper = emit(Opcode::Shl, type, {operands[0], left ? amount : other});
  Operand lower = emit(Opcode::Lshr, type, {operands[1], left ? other : amount});
  define_masked(inst, emit(Opcode::Or, type, {upper, lower}), type, width);
}

Operand FunctionImport::non_native_overflow(Opcode op, Operand a, Operand b, Type type, unsigned width) {
  // A product keeps its factor 2^k if only one side is moved up by k.
  if (op == Opcode::SmulOverflow) {
    a = sign_extended(a, type, width);
  } else if (op != Opcode::UmulOverflow) {
    a = at_top(a, type, width);
  }
  return emit(op, type, {a, at_top(b, type, width)});
}

}  // namespace psi::llvm_bridge
