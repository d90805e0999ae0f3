// Integer operations, comparisons and conversions on halves and in wider registers.
#include <array>

#include "psi/ir/views.h"
#include "select/legalise/type_lowering.h"

namespace psi::select {
namespace {

bool is_division(Opcode op) {
  return op == Opcode::Sdiv || op == Opcode::Udiv || op == Opcode::Srem || op == Opcode::Urem;
}

}  // namespace

void TypeLowering::lower_integer(const Inst& inst, std::span<const Operand> operands) {
  if (is_same(inst.type)) return keep(operands);
  if (is_division(inst.op)) return lower_division(inst, operands);
  bool is_predicate = inst.format() == Format::Overflow;
  if (is_wide(inst.type)) {
    Parts value = is_predicate ? Parts{narrow_overflow(inst, operands), {}} : narrow(inst, operands);
    return bind(inst.results[0], value);
  }
  std::array<Parts, 3> values;
  for (size_t i = 0; i < operands.size(); ++i) values[i] = parts(operands[i]);
  if (is_predicate) return bind(inst.results[0], {split_.overflow(inst.op, values[0], values[1]), {}});
  bind(inst.results[0], split_.compute(inst.op, std::span(values).first(operands.size())));
}

void TypeLowering::lower_division(const Inst& inst, std::span<const Operand> operands) {
  bool is_signed = inst.op == Opcode::Sdiv || inst.op == Opcode::Srem;
  if (is_wide(inst.type)) {
    unsigned bits = bit_width(inst.type);
    std::array<Operand, 2> values;
    for (size_t i = 0; i < 2; ++i) {
      Operand value = one(operands[i]);
      values[i] = is_signed ? sign_extended(value, bits) : zero_extended(value, bits);
    }
    Inst wide = inst;
    wide.type = carrier(inst.type).type;
    emitter_.guard(inst.guard);
    return bind(inst.results[0], {emitter_.append(wide, values, wide.type), {}});
  }
  std::array values = {parts(operands[0]), parts(operands[1])};
  bind(inst.results[0], call_routine(routine_for(inst.op, inst.type), values));
}

// In a wider register the lower bits of a sum, a product and the like do not depend on the upper ones of the
// operands. Where a result does, they are made zeros or copies of the sign.
TypeLowering::Parts TypeLowering::narrow(const Inst& inst, std::span<const Operand> operands) {
  unsigned bits = bit_width(inst.type);
  Type wide = carrier(inst.type).type;
  unsigned rest = bit_width(wide) - bits;
  auto any = [&](size_t i) { return one(operands[i]); };
  auto zero = [&](size_t i) { return zero_extended(one(operands[i]), bits); };
  auto sign = [&](size_t i) { return sign_extended(one(operands[i]), bits); };
  Opcode op = inst.op;
  switch (op) {
    case Opcode::Shl:
      return {emitter_.op(op, {any(0), zero(1)}), {}};
    case Opcode::Lshr:
      return {with_bits(emitter_.op(op, {zero(0), zero(1)}), bits, 64), {}};
    case Opcode::Ashr:
      return {with_bits(emitter_.op(op, {sign(0), zero(1)}), 64, bits), {}};
    case Opcode::Smin:
    case Opcode::Smax:
      return {emitter_.op(op, {sign(0), sign(1)}), {}};
    case Opcode::Umin:
    case Opcode::Umax:
    case Opcode::UsubSat:
      return {emitter_.op(op, {zero(0), zero(1)}), {}};
    case Opcode::UaddSat:
      return {emitter_.op(Opcode::Umin,
                          {emitter_.add({zero(0), zero(1)}), emitter_.literal(wide, value_mask(inst.type))}),
              {}};
    case Opcode::SaddSat:
      return {saturated(emitter_.add({sign(0), sign(1)}), bits), {}};
    case Opcode::SsubSat:
      return {saturated(emitter_.sub({sign(0), sign(1)}), bits), {}};
    case Opcode::Abs:
      return {emitter_.op(op, {sign(0)}), {}};
    case Opcode::Ctpop:
      return {with_bits(emitter_.op(op, {zero(0)}), 7, 64), {}};
    case Opcode::Ctlz:
      return {with_bits(emitter_.sub({emitter_.op(op, {zero(0)}), emitter_.literal(wide, rest)}), 7, 64), {}};
    case Opcode::Cttz:
      return {emitter_.op(op, {emitter_.or_({any(0), emitter_.literal(wide, uint64_t{1} << bits)})}), {}};
    case Opcode::Bswap:
    case Opcode::BitReverse:
      return {with_bits(emitter_.lshr(emitter_.op(op, {any(0)}), rest), bits, 64), {}};
    case Opcode::Fshl:
    case Opcode::Fshr:
      return {narrow_funnel(inst, operands), {}};
    default:
      if (operands.size() == 1) return {emitter_.op(op, {any(0)}), {}};
      return {emitter_.op(op, {any(0), any(1)}), {}};
  }
}

Operand TypeLowering::saturated(Operand value, unsigned bits) {
  Type wide = emitter_.type(value);
  uint64_t most = (uint64_t{1} << (bits - 1)) - 1;
  value = emitter_.op(Opcode::Smin, {value, emitter_.literal(wide, most)});
  return emitter_.op(Opcode::Smax, {value, emitter_.literal(wide, ~most)});
}

// The two operands fill a register, or fit it.
Operand TypeLowering::narrow_funnel(const Inst& inst, std::span<const Operand> operands) {
  unsigned bits = bit_width(inst.type);
  Type wide = carrier(inst.type).type;
  Operand amount = emitter_.and_({one(operands[2]), emitter_.literal(wide, bits - 1)});
  Operand both = emitter_.or_({emitter_.shl(one(operands[0]), bits), zero_extended(one(operands[1]), bits)});
  if (inst.op == Opcode::Fshr) return emitter_.op(Opcode::Lshr, {both, amount});
  return emitter_.lshr(emitter_.op(Opcode::Shl, {both, amount}), bits);
}

Operand TypeLowering::narrow_overflow(const Inst& inst, std::span<const Operand> operands) {
  unsigned bits = bit_width(inst.type);
  bool is_signed =
      inst.op == Opcode::SaddOverflow || inst.op == Opcode::SsubOverflow || inst.op == Opcode::SmulOverflow;
  auto value = [&](size_t i) {
    return is_signed ? sign_extended(one(operands[i]), bits) : zero_extended(one(operands[i]), bits);
  };
  Operand a = value(0), b = value(1);
  if (inst.op == Opcode::UsubOverflow) return emitter_.cmp(Cond::ult, {a, b});
  // Exact: the register has twice the bits, or one more for a sum.
  Operand exact;
  switch (inst.op) {
    case Opcode::SaddOverflow:
    case Opcode::UaddOverflow:
      exact = emitter_.add({a, b});
      break;
    case Opcode::SsubOverflow:
      exact = emitter_.sub({a, b});
      break;
    default:
      exact = emitter_.mul({a, b});
      break;
  }
  if (is_signed) return emitter_.cmp(Cond::ne, {sign_extended(exact, bits), exact});
  return emitter_.cmp(Cond::ugt, {exact, emitter_.literal(emitter_.type(exact), value_mask(inst.type))});
}

void TypeLowering::lower_compare(const Inst& inst, std::span<const Operand> operands) {
  if (is_float(inst.type)) {
    if (is_same(inst.type) && facts_.covers(function_, inst, operands)) return keep(operands);
    return bind(inst.results[0], {float_compare(inst, operands), {}});
  }
  if (is_same(inst.type)) return keep(operands);
  Parts a = parts(operands[0]), b = parts(operands[1]);
  if (is_split(inst.type)) return bind(inst.results[0], {split_.cmp(inst.cond(), a, b), {}});
  unsigned bits = bit_width(inst.type);
  bool is_signed = inst.cond() >= Cond::lt && inst.cond() <= Cond::ge;
  bool either = inst.cond() == Cond::eq || inst.cond() == Cond::ne;
  // Equality may compare with copies of the sign where both have them.
  auto has_sign = [&](Operand x) { return x.is_literal() || sign_bits(x) <= bits; };
  if (either && has_sign(a.lo) && has_sign(b.lo) && !(zero_bits(a.lo) <= bits && zero_bits(b.lo) <= bits)) {
    is_signed = true;
  }
  auto extended = [&](Operand x) { return is_signed ? sign_extended(x, bits) : zero_extended(x, bits); };
  Operand left = extended(a.lo);
  bind(inst.results[0], {emitter_.cmp(inst.cond(), {left, extended(b.lo)}), {}});
}

void TypeLowering::lower_convert(const Inst& inst, std::span<const Operand> operands) {
  Type from = inst.from(), to = inst.type;
  Reg result = inst.results[0];
  bool is_kept = is_same(from) && is_same(to);
  Parts value = parts(operands[0]);
  switch (inst.op) {
    case Opcode::Trunc:
    case Opcode::Zext:
    case Opcode::Sext:
      if (is_kept) return keep(operands);
      return bind(result, int_convert(value, from, to, inst.op == Opcode::Sext));
    case Opcode::Bitcast:
      if (is_kept) return keep(operands);
      return bind(result, is_float(from) ? bits_of(value, from) : number_of(value, to));
    case Opcode::Ptrtoint: {
      Type address = facts_.address_type();
      if (is_kept && to == address) return keep(operands);
      Operand bits = emitter_.convert(Opcode::Ptrtoint, address, value.lo);
      Parts integer = is_same(address) ? Parts{bits, {}} : from_boundary(bits, address);
      return bind(result, int_convert(integer, address, to, false));
    }
    case Opcode::Inttoptr: {
      Type address = facts_.address_type();
      if (is_kept && from == address) return keep(operands);
      Parts integer = int_convert(value, from, address, false);
      Operand bits = is_same(address) ? integer.lo : to_boundary(integer, address);
      return bind(result, {emitter_.convert(Opcode::Inttoptr, Type::ptr, bits), {}});
    }
    default:
      return lower_float_convert(inst, operands[0]);
  }
}

}  // namespace psi::select
