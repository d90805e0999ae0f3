// Arithmetic, conversions and moves.
#include <array>
#include <bit>
#include <cmath>

#include "testing/generator/function_generator.h"

namespace psi::testing {
namespace {

constexpr std::array kBinary = {
    Opcode::Add,     Opcode::Add,     Opcode::Sub,     Opcode::Sub,     Opcode::Mul,  Opcode::And,
    Opcode::Or,      Opcode::Xor,     Opcode::Smin,    Opcode::Smax,    Opcode::Umin, Opcode::Umax,
    Opcode::SaddSat, Opcode::UaddSat, Opcode::SsubSat, Opcode::UsubSat,
};
constexpr std::array kUnary = {Opcode::Not,  Opcode::Neg,   Opcode::Abs,        Opcode::Ctpop, Opcode::Ctlz,
                               Opcode::Cttz, Opcode::Bswap, Opcode::BitReverse, Opcode::Freeze};
constexpr std::array kOverflow = {Opcode::SaddOverflow, Opcode::UaddOverflow, Opcode::SsubOverflow,
                                  Opcode::UsubOverflow, Opcode::SmulOverflow, Opcode::UmulOverflow};
constexpr std::array kFloatBinary = {Opcode::Fadd, Opcode::Fsub, Opcode::Fmul, Opcode::Fdiv,
                                     Opcode::Frem, Opcode::Fmin, Opcode::Fmax, Opcode::CopySign};
constexpr std::array kFloatUnary = {Opcode::Fneg, Opcode::Fabs,   Opcode::Sqrt, Opcode::Floor,
                                    Opcode::Ceil, Opcode::Ftrunc, Opcode::Rint, Opcode::Round};

}  // namespace

void FunctionGenerator::arithmetic() {
  Type type = random_.percent(4) ? Type::i1 : int_type();
  Operand a = pick_reg(type, true);
  switch (random_.below(10)) {
    case 0: {
      Opcode op = random_.element(kUnary);
      if (op == Opcode::Bswap && bit_width(type) < 16) op = Opcode::Not;
      last(op, type, {a});
      break;
    }
    case 1: {
      Operand b = pick(type, true), c = pick(type, true);
      last(random_.coin() ? Opcode::Fshl : Opcode::Fshr, type, {a, b, c});
      break;
    }
    case 2: {
      Operand b = pick(type, true);
      last(random_.element(kOverflow), type, {a, b});
      break;
    }
    default: {
      Operand b = pick(type, true);
      if (random_.percent(15)) std::swap(a, b);
      last(random_.element(kBinary), type, {a, b});
      break;
    }
  }
}

void FunctionGenerator::shift() {
  Type type = int_type();
  int64_t width = bit_width(type);
  Operand amount = constant(type, random_.range(0, width - 1));
  if (random_.percent(60))
    amount = Operand::reg(step(Opcode::And, type, {pick(type), constant(type, width - 1)}));
  Operand value = pick(type, true);
  last(random_.one_of({Opcode::Shl, Opcode::Lshr, Opcode::Ashr}), type, {value, amount});
}

void FunctionGenerator::division() {
  Type type = int_type();
  Opcode op = random_.one_of({Opcode::Sdiv, Opcode::Udiv, Opcode::Srem, Opcode::Urem});
  bool is_signed = op == Opcode::Sdiv || op == Opcode::Srem;
  Operand divisor = constant(type, 1 + random_.below(12));
  if (random_.percent(75)) {
    divisor = pick(type);
    // A small divisor is never -1, so the minimum cannot overflow.
    if (is_signed || random_.coin()) {
      divisor = Operand::reg(step(Opcode::And, type, {divisor, constant(type, random_.one_of({3, 15, 63}))}));
    }
    divisor = Operand::reg(step(Opcode::Or, type, {divisor, constant(type, 1)}));
  }
  Operand dividend = pick(type, true);
  last(op, type, {dividend, divisor});
}

void FunctionGenerator::floating() {
  Type type = float_type();
  Operand a = pick_reg(type, true);
  if (random_.percent(25)) {
    last(random_.element(kFloatUnary), type, {a});
  } else if (random_.percent(10)) {
    Operand b = pick(type, true), c = pick(type, true);
    last(Opcode::Fma, type, {a, b, c});
  } else {
    Operand b = pick(type, true);
    last(random_.element(kFloatBinary), type, {a, b});
  }
}

void FunctionGenerator::conversion() {
  if (options_.floats && random_.percent(40)) {
    Type real = float_type(), bits = real == Type::f64 ? Type::i64 : Type::i32;
    Type number = random_.percent(8) ? Type::i1 : int_type();
    Opcode op = Opcode::Sitofp;
    Type from = number, to = real;
    switch (random_.below(6)) {
      case 0:
        op = Opcode::Bitcast, from = real, to = bits;
        break;
      case 1:
        op = Opcode::Bitcast, from = bits, to = real;
        break;
      case 2:
        op = Opcode::Fptrunc, from = Type::f64, to = Type::f32;
        break;
      case 3:
        op = Opcode::Fpext, from = Type::f32, to = Type::f64;
        break;
      case 4:
        op = Opcode::Uitofp;
        break;
      default:
        break;
    }
    Operand value = pick_reg(from, true);
    builder_.into(result(to));
    builder_.convert(op, from, to, value);
    return;
  }
  Type from = random_.percent(25) ? Type::i1 : int_type(), to = int_type();
  if (from == to) to = Type::i1;
  if (from == Type::i64 && random_.percent(20)) to = Type::i1;
  Opcode op = from > to ? Opcode::Trunc : random_.coin() ? Opcode::Zext : Opcode::Sext;
  Operand value = pick_reg(from, true);
  builder_.into(result(to));
  builder_.convert(op, from, to, value);
}

// Kept in range by fmax and fmin, which also drop a not-a-number.
void FunctionGenerator::float_to_int() {
  Type from = float_type(), to = random_.percent(8) ? Type::i1 : int_type();
  bool is_signed = random_.coin();
  int exponent = to == Type::i1 ? 0 : static_cast<int>(bit_width(to)) - 2;
  double high = is_signed && to == Type::i1 ? 0 : std::ldexp(1.0, exponent);
  double low = !is_signed ? 0 : -std::ldexp(1.0, exponent);
  auto real = [&](double value) {
    return function_.literal(from, from == Type::f64 ? std::bit_cast<uint64_t>(value)
                                                     : std::bit_cast<uint32_t>(static_cast<float>(value)));
  };
  Reg clamped = step(Opcode::Fmax, from, {pick_reg(from), real(low)});
  clamped = step(Opcode::Fmin, from, {Operand::reg(clamped), real(high)});
  builder_.into(result(to));
  builder_.convert(is_signed ? Opcode::Fptosi : Opcode::Fptoui, from, to, Operand::reg(clamped));
}

void FunctionGenerator::move_or_select() {
  if (!scope_.guarded.empty() && random_.percent(30)) {
    // The arm that is not taken may be undefined.
    const GuardedValue value =
        scope_.guarded[scope_.guarded.size() - 1 -
                       random_.below(static_cast<uint32_t>(std::min<size_t>(scope_.guarded.size(), 6)))];
    Operand arms[2] = {Operand::reg(value.reg), value.type == Type::ptr ? Operand() : pick(value.type)};
    if (value.type != Type::ptr) {
      if (value.domain.is_negated()) std::swap(arms[0], arms[1]);
      Operand condition = Operand::reg(scope_.stable[value.domain.index()].reg);
      last(Opcode::Select, value.type, {condition, arms[0], arms[1]});
      return;
    }
  }
  Type type = value_type();
  if (random_.coin()) {
    Operand value = pick(type, true);
    last(Opcode::Mov, type, {value});
  } else {
    Operand condition = pick_reg(Type::i1, true), a = pick(type, true), b = pick(type, true);
    last(Opcode::Select, type, {condition, a, b});
  }
}

// Undefined values that are unread or have no effect.
void FunctionGenerator::undefined_value() {
  mode_ = {};
  Type type = int_type();
  Reg value, in_range;
  Literal domain;
  if (options_.guards && random_.percent(30) && !(domain = some_stable()).is_none()) {
    value = fresh(type);
    builder_.into(value);
    builder_.op(Opcode::Mov, type, {Operand::undef(type)});
    mode_ = {Guard(predicate_of(domain)), domain, false};
    Operand a = pick(type, true), b = pick(type, true);
    guard_last();
    builder_.into(value);
    builder_.op(random_.element(kBinary), type, {a, b});
    mode_ = {};
    guard_last();
  } else {
    Operand amount = pick_reg(type), shifted = pick(type);
    in_range = fresh(Type::i1);
    builder_.into(in_range);
    builder_.cmp(Cond::ult, type, amount, constant(type, bit_width(type)));
    domain = make_stable(in_range);
    value = fresh(type);
    builder_.into(value);
    builder_.op(random_.one_of({Opcode::Shl, Opcode::Lshr, Opcode::Ashr}), type, {shifted, amount});
  }
  if (random_.percent(40)) {
    // Computing with it is allowed everywhere.
    Operand other = pick(type);
    Reg more = fresh(type);
    builder_.into(more);
    builder_.op(random_.element(kBinary), type, {Operand::reg(value), other});
    scope_.guarded.push_back({more, type, domain});
  }
  if (random_.coin()) {
    // A false `and` and a true `or` hide an undefined predicate.
    Reg hidden = fresh(Type::i1), predicate = fresh(Type::i1);
    builder_.into(hidden);
    builder_.cmp(Cond::lt, type, Operand::reg(value), pick(type));
    Operand known = Operand::reg(scope_.stable[domain.index()].reg);
    builder_.into(predicate);
    if (domain.is_negated()) {
      builder_.op(Opcode::Or, Type::i1, {known, Operand::reg(hidden)});
      make_stable(predicate, {}, {domain, {}});
    } else {
      builder_.op(Opcode::And, Type::i1, {known, Operand::reg(hidden)});
      make_stable(predicate, {domain, {}}, {});
    }
  }
  scope_.guarded.push_back({value, type, domain});
}

}  // namespace psi::testing
