#include "psi/ir/evaluate.h"

#include <bit>
#include <cmath>

#include "ir/int_cond.h"

namespace psi {
namespace {

constexpr Value kUndef = {0, true};

uint64_t sign_bit(Type type) { return uint64_t{1} << (bit_width(type) - 1); }
uint64_t masked(uint64_t bits, Type type) { return bits & value_mask(type); }

// --- Floating point ---------------------------------------------------------------------------------

template <class F>
F as_float(uint64_t bits) {
  if constexpr (sizeof(F) == 4) {
    return std::bit_cast<float>(static_cast<uint32_t>(bits));
  } else {
    return std::bit_cast<double>(bits);
  }
}

template <class F>
uint64_t from_float(F value) {
  if constexpr (sizeof(F) == 4) {
    return std::isnan(value) ? kNan32 : std::bit_cast<uint32_t>(value);
  } else {
    return std::isnan(value) ? kNan64 : std::bit_cast<uint64_t>(value);
  }
}

// C leaves the sign open for zeros of both signs; here the smaller of the two is -0.
template <class F>
F minimum(F a, F b) {
  if (std::isnan(a)) return b;
  if (std::isnan(b)) return a;
  if (a == b) return std::signbit(a) ? a : b;
  return a < b ? a : b;
}

template <class F>
F maximum(F a, F b) {
  if (std::isnan(a)) return b;
  if (std::isnan(b)) return a;
  if (a == b) return std::signbit(a) ? b : a;
  return a > b ? a : b;
}

template <class F>
uint64_t float_binary(Opcode op, uint64_t a_bits, uint64_t b_bits) {
  F a = as_float<F>(a_bits);
  F b = as_float<F>(b_bits);
  switch (op) {
    case Opcode::Fadd:
      return from_float<F>(a + b);
    case Opcode::Fsub:
      return from_float<F>(a - b);
    case Opcode::Fmul:
      return from_float<F>(a * b);
    case Opcode::Fdiv:
      return from_float<F>(a / b);
    case Opcode::Frem:
      return from_float<F>(std::fmod(a, b));
    case Opcode::Fmin:
      return from_float<F>(minimum(a, b));
    default:  // fmax
      return from_float<F>(maximum(a, b));
  }
}

template <class F>
uint64_t float_unary(Opcode op, uint64_t bits) {
  F a = as_float<F>(bits);
  switch (op) {
    case Opcode::Sqrt:
      return from_float<F>(std::sqrt(a));
    case Opcode::Floor:
      return from_float<F>(std::floor(a));
    case Opcode::Ceil:
      return from_float<F>(std::ceil(a));
    case Opcode::Ftrunc:
      return from_float<F>(std::trunc(a));
    case Opcode::Rint:
      return from_float<F>(std::nearbyint(a));
    default:  // round
      return from_float<F>(std::round(a));
  }
}

template <class F>
bool float_cond(Cond cond, uint64_t a_bits, uint64_t b_bits) {
  F a = as_float<F>(a_bits);
  F b = as_float<F>(b_bits);
  bool unordered = std::isnan(a) || std::isnan(b);
  switch (cond) {
    case Cond::foeq:
      return a == b;
    case Cond::fone:
      return !unordered && a != b;
    case Cond::folt:
      return a < b;
    case Cond::fole:
      return a <= b;
    case Cond::fogt:
      return a > b;
    case Cond::foge:
      return a >= b;
    case Cond::ford:
      return !unordered;
    case Cond::fueq:
      return unordered || a == b;
    case Cond::fune:
      return a != b;
    case Cond::fult:
      return unordered || a < b;
    case Cond::fule:
      return unordered || a <= b;
    case Cond::fugt:
      return unordered || a > b;
    case Cond::fuge:
      return unordered || a >= b;
    default:  // funo
      return unordered;
  }
}

// A float's value as a double, which holds every float exactly.
double widen(uint64_t bits, Type type) {
  return type == Type::f32 ? static_cast<double>(as_float<float>(bits)) : as_float<double>(bits);
}

Value float_to_int(double value, Type to, bool is_signed) {
  double whole = std::trunc(value);
  int width = static_cast<int>(bit_width(to));
  double low = is_signed ? -std::ldexp(1.0, width - 1) : 0.0;
  double limit = std::ldexp(1.0, is_signed ? width - 1 : width);
  // False for NaN.
  if (!(whole >= low && whole < limit)) return kUndef;
  uint64_t bits =
      is_signed ? static_cast<uint64_t>(static_cast<int64_t>(whole)) : static_cast<uint64_t>(whole);
  return {masked(bits, to), false};
}

template <class Int>
uint64_t int_to_float(Int value, Type to) {
  // Directly: converting through double would round twice.
  return to == Type::f32 ? from_float<float>(static_cast<float>(value))
                         : from_float<double>(static_cast<double>(value));
}

// --- Integers ---------------------------------------------------------------------------------------

bool add_overflows(Type type, uint64_t a, uint64_t b) {
  uint64_t sum = a + b;
  return (a ^ sum) & (b ^ sum) & sign_bit(type);
}

bool sub_overflows(Type type, uint64_t a, uint64_t b) { return (a ^ b) & (a ^ (a - b)) & sign_bit(type); }

bool product_exceeds(uint64_t a, uint64_t b, uint64_t limit) { return b != 0 && a > limit / b; }

uint64_t magnitude(Type type, uint64_t a) { return a & sign_bit(type) ? masked(0 - a, type) : a; }

bool mul_overflows(Type type, uint64_t a, uint64_t b) {
  bool negative = (a ^ b) & sign_bit(type);
  uint64_t limit = negative ? sign_bit(type) : sign_bit(type) - 1;
  return product_exceeds(magnitude(type, a), magnitude(type, b), limit);
}

// The limit of a signed sum or difference that overflows, on the side of `a`.
uint64_t saturated(Type type, uint64_t a) { return a & sign_bit(type) ? sign_bit(type) : sign_bit(type) - 1; }

uint64_t reverse_bits(uint64_t bits, unsigned width) {
  uint64_t result = 0;
  for (unsigned i = 0; i < width; ++i) result |= (bits >> i & 1) << (width - 1 - i);
  return result;
}

uint64_t swap_bytes(uint64_t bits, unsigned bytes) {
  uint64_t result = 0;
  for (unsigned i = 0; i < bytes; ++i) result = result << 8 | (bits >> (8 * i) & 0xff);
  return result;
}

}  // namespace

Value eval_binary(Opcode op, Type type, uint64_t a, uint64_t b) {
  unsigned shift = width_shift(type);
  int64_t sa = signed_by(a, shift);
  int64_t sb = signed_by(b, shift);
  unsigned width = bit_width(type);
  auto value = [&](uint64_t bits) { return Value{masked(bits, type), false}; };
  switch (op) {
    case Opcode::Add:
      return value(a + b);
    case Opcode::Sub:
      return value(a - b);
    case Opcode::Mul:
      return value(a * b);
    case Opcode::Sdiv:
      return value(static_cast<uint64_t>(sa / sb));
    case Opcode::Udiv:
      return value(a / b);
    case Opcode::Srem:
      return value(static_cast<uint64_t>(sa % sb));
    case Opcode::Urem:
      return value(a % b);
    case Opcode::And:
      return value(a & b);
    case Opcode::Or:
      return value(a | b);
    case Opcode::Xor:
      return value(a ^ b);
    case Opcode::Shl:
      return b >= width ? kUndef : value(a << b);
    case Opcode::Lshr:
      return b >= width ? kUndef : value(a >> b);
    case Opcode::Ashr:
      return b >= width ? kUndef : value(static_cast<uint64_t>(sa >> b));
    case Opcode::Smin:
      return value(sa < sb ? a : b);
    case Opcode::Smax:
      return value(sa > sb ? a : b);
    case Opcode::Umin:
      return value(a < b ? a : b);
    case Opcode::Umax:
      return value(a > b ? a : b);
    case Opcode::SaddSat:
      return value(add_overflows(type, a, b) ? saturated(type, a) : a + b);
    case Opcode::UaddSat:
      return value(masked(a + b, type) < a ? UINT64_MAX : a + b);
    case Opcode::SsubSat:
      return value(sub_overflows(type, a, b) ? saturated(type, a) : a - b);
    case Opcode::UsubSat:
      return value(a < b ? 0 : a - b);
    case Opcode::CopySign:
      return value((a & ~sign_bit(type)) | (b & sign_bit(type)));
    default:
      return {type == Type::f32 ? float_binary<float>(op, a, b) : float_binary<double>(op, a, b), false};
  }
}

Value eval_unary(Opcode op, Type type, uint64_t a) {
  unsigned width = bit_width(type);
  auto value = [&](uint64_t bits) { return Value{masked(bits, type), false}; };
  switch (op) {
    case Opcode::Not:
      return value(~a);
    case Opcode::Neg:
      return value(0 - a);
    case Opcode::Abs:
      return value(magnitude(type, a));
    case Opcode::Ctpop:
      return value(static_cast<uint64_t>(std::popcount(a)));
    case Opcode::Ctlz:
      return value(static_cast<uint64_t>(std::countl_zero(a)) - width_shift(type));
    case Opcode::Cttz:
      return value(a == 0 ? width : static_cast<uint64_t>(std::countr_zero(a)));
    case Opcode::Bswap:
      return value(swap_bytes(a, byte_size(type)));
    case Opcode::BitReverse:
      return value(reverse_bits(a, width));
    case Opcode::Fneg:
      return value(a ^ sign_bit(type));
    case Opcode::Fabs:
      return value(a & ~sign_bit(type));
    default:
      return {type == Type::f32 ? float_unary<float>(op, a) : float_unary<double>(op, a), false};
  }
}

Value eval_ternary(Opcode op, Type type, uint64_t a, uint64_t b, uint64_t c) {
  if (op == Opcode::Fma) {
    uint64_t bits =
        type == Type::f32
            ? from_float<float>(std::fma(as_float<float>(a), as_float<float>(b), as_float<float>(c)))
            : from_float<double>(std::fma(as_float<double>(a), as_float<double>(b), as_float<double>(c)));
    return {bits, false};
  }
  unsigned width = bit_width(type);
  uint64_t amount = c % width;
  if (amount == 0) return {op == Opcode::Fshl ? a : b, false};
  uint64_t bits =
      op == Opcode::Fshl ? a << amount | b >> (width - amount) : a << (width - amount) | b >> amount;
  return {masked(bits, type), false};
}

Value eval_convert(Opcode op, Type from, Type to, uint64_t a) {
  switch (op) {
    case Opcode::Sext:
      return {masked(static_cast<uint64_t>(sign_extend(a, from)), to), false};
    case Opcode::Fptrunc:
      return {from_float<float>(static_cast<float>(as_float<double>(a))), false};
    case Opcode::Fpext:
      return {from_float<double>(static_cast<double>(as_float<float>(a))), false};
    case Opcode::Fptosi:
      return float_to_int(widen(a, from), to, true);
    case Opcode::Fptoui:
      return float_to_int(widen(a, from), to, false);
    case Opcode::Sitofp:
      return {int_to_float(sign_extend(a, from), to), false};
    case Opcode::Uitofp:
      return {int_to_float(a, to), false};
    default:  // trunc, zext, bitcast, ptrtoint, inttoptr
      return {masked(a, to), false};
  }
}

bool eval_overflow(Opcode op, Type type, uint64_t a, uint64_t b) {
  switch (op) {
    case Opcode::SaddOverflow:
      return add_overflows(type, a, b);
    case Opcode::UaddOverflow:
      return masked(a + b, type) < a;
    case Opcode::SsubOverflow:
      return sub_overflows(type, a, b);
    case Opcode::UsubOverflow:
      return a < b;
    case Opcode::SmulOverflow:
      return mul_overflows(type, a, b);
    case Opcode::UmulOverflow:
      return product_exceeds(a, b, value_mask(type));
    default:
      return false;
  }
}

bool eval_cond(Cond cond, Type type, uint64_t a, uint64_t b) {
  if (is_float_cond(cond)) {
    return type == Type::f32 ? float_cond<float>(cond, a, b) : float_cond<double>(cond, a, b);
  }
  return int_cond_holds(cond, type, a, b);
}

const char* divide_fault(Opcode op, Type type, Value dividend, Value divisor) {
  if (divisor.undef) return "division by undef";
  if (divisor.bits == 0) return "division by zero";
  bool is_signed = op == Opcode::Sdiv || op == Opcode::Srem;
  if (!is_signed || divisor.bits != value_mask(type)) return nullptr;
  if (dividend.undef) return "signed division of undef by -1";
  if (dividend.bits == sign_bit(type)) return "signed division of the minimum by -1";
  return nullptr;
}

Value eval_action(Action action, Value input, Value condition, Value old) {
  auto is = [](Value v, bool bit) { return !v.undef && v.bits == (bit ? 1u : 0u); };
  auto both = [&](Value a, Value b) {
    if (is(a, false) || is(b, false)) return Value{0, false};
    return a.undef || b.undef ? kUndef : Value{1, false};
  };
  auto inverse = [](Value v) { return v.undef ? kUndef : Value{v.bits ^ 1, false}; };
  if (is_complement(action)) condition = inverse(condition);
  switch (action_class(action)) {
    case ActionClass::Unconditional:
      return both(input, condition);
    case ActionClass::ParallelOr:  // old or x = not (not old and not x)
      return inverse(both(inverse(old), inverse(both(input, condition))));
    case ActionClass::ParallelAnd:
      return both(old, inverse(both(input, inverse(condition))));
    case ActionClass::Conditional:
      if (input.undef) return kUndef;
      return input.bits ? condition : old;
    case ActionClass::None:
      break;
  }
  return kUndef;
}

namespace {

// Logic on i1 that one operand decides alone, whatever the other.
std::optional<Value> decided(const Inst& inst, std::span<const Value> operands) {
  if (inst.type != Type::i1 || (inst.op != Opcode::And && inst.op != Opcode::Or)) return std::nullopt;
  uint64_t deciding = inst.op == Opcode::Or ? 1 : 0;
  for (Value operand : operands) {
    if (!operand.undef && operand.bits == deciding) return operand;
  }
  return std::nullopt;
}

}  // namespace

std::optional<Value> evaluate(const Inst& inst, std::span<const Value> operands, unsigned pointer_bits) {
  Format format = inst.format();
  if (format == Format::Select) return operands[0].undef ? kUndef : operands[operands[0].bits ? 1 : 2];
  if (format == Format::Move) return operands[0];
  if (inst.may_trap() && divide_fault(inst.op, inst.type, operands[0], operands[1])) return std::nullopt;
  if (inst.op == Opcode::Freeze) return std::nullopt;
  if (std::optional<Value> value = decided(inst, operands)) return value;
  bool undef = false;
  for (Value operand : operands) undef |= operand.undef;
  auto bits = [&](size_t i) { return operands[i].bits; };
  switch (format) {
    case Format::Binary:
      return undef ? kUndef : eval_binary(inst.op, inst.type, bits(0), bits(1));
    case Format::Unary:
      return undef ? kUndef : eval_unary(inst.op, inst.type, bits(0));
    case Format::Ternary:
      return undef ? kUndef : eval_ternary(inst.op, inst.type, bits(0), bits(1), bits(2));
    case Format::Convert:
      return undef ? kUndef
                   : eval_convert(inst.op, as_bits(inst.from(), pointer_bits),
                                  as_bits(inst.type, pointer_bits), bits(0));
    case Format::Overflow:
      return undef ? kUndef : Value{eval_overflow(inst.op, inst.type, bits(0), bits(1)), false};
    case Format::Compare:
      return undef ? kUndef
                   : Value{eval_cond(inst.cond(), as_bits(inst.type, pointer_bits), bits(0), bits(1)), false};
    default:
      return std::nullopt;
  }
}

}  // namespace psi
