#include "select/legalise/split.h"

namespace psi::select {

bool SplitArithmetic::has(Opcode op) {
  switch (op) {
    case Opcode::Sdiv:
    case Opcode::Udiv:
    case Opcode::Srem:
    case Opcode::Urem:
      return false;
    default:
      return info(op).types == TypeSet::Int &&
             (info(op).format == Format::Binary || info(op).format == Format::Unary ||
              info(op).format == Format::Ternary);
  }
}

Pair SplitArithmetic::literal(uint64_t bits) { return {word(bits), word(bits >> 32)}; }

Pair SplitArithmetic::compute(Opcode op, std::span<const Pair> operands) {
  Pair a = operands[0], b = operands.size() > 1 ? operands[1] : Pair();
  switch (op) {
    case Opcode::Add:
      return add(a, b);
    case Opcode::Sub:
      return sub(a, b);
    case Opcode::Mul:
      return mul(a, b);
    case Opcode::And:
    case Opcode::Or:
    case Opcode::Xor:
      return each(op, a, b);
    case Opcode::Shl:
    case Opcode::Lshr:
    case Opcode::Ashr:
      // An amount with bits in its upper half gives undef.
      return shift(op, a, b.lo);
    case Opcode::Smin:
      return select(cmp(Cond::lt, a, b), a, b);
    case Opcode::Smax:
      return select(cmp(Cond::gt, a, b), a, b);
    case Opcode::Umin:
      return select(cmp(Cond::ult, a, b), a, b);
    case Opcode::Umax:
      return select(cmp(Cond::ugt, a, b), a, b);
    case Opcode::UaddSat: {
      Pair sum = add(a, b);
      return select(cmp(Cond::ult, sum, a), literal(UINT64_MAX), sum);
    }
    case Opcode::UsubSat: {
      Pair difference = sub(a, b);
      return select(cmp(Cond::ult, a, b), literal(0), difference);
    }
    case Opcode::SaddSat: {
      Pair sum = add(a, b);
      return saturated(overflow(Opcode::SaddOverflow, a, b), a, sum);
    }
    case Opcode::SsubSat: {
      Pair difference = sub(a, b);
      return saturated(overflow(Opcode::SsubOverflow, a, b), a, difference);
    }
    case Opcode::Not:
      return {e_.not_(a.lo), e_.not_(a.hi)};
    case Opcode::Neg:
      return sub(literal(0), a);
    case Opcode::Abs:
      return magnitude(a);
    case Opcode::Ctpop:
      return {e_.add({e_.op(op, {a.lo}), e_.op(op, {a.hi})}), word(0)};
    case Opcode::Ctlz: {
      Operand from_low = e_.add({e_.op(op, {a.lo}), word(32)});
      return {e_.select({e_.cmp(Cond::eq, {a.hi, word(0)}), from_low, e_.op(op, {a.hi})}), word(0)};
    }
    case Opcode::Cttz: {
      Operand from_high = e_.add({e_.op(op, {a.hi}), word(32)});
      return {e_.select({e_.cmp(Cond::eq, {a.lo, word(0)}), from_high, e_.op(op, {a.lo})}), word(0)};
    }
    case Opcode::Bswap:
    case Opcode::BitReverse:
      return {e_.op(op, {a.hi}), e_.op(op, {a.lo})};
    default:  // fshl, fshr
      return funnel(op, a, b, operands[2]);
  }
}

Pair SplitArithmetic::add(Pair a, Pair b) {
  Operand lo = e_.add({a.lo, b.lo});
  Operand carry = e_.is_literal(a.lo, 0) || e_.is_literal(b.lo, 0)
                      ? word(0)
                      : e_.convert(Opcode::Zext, Type::i32, e_.cmp(Cond::ult, {lo, b.lo}));
  return {lo, e_.add({e_.add({a.hi, b.hi}), carry})};
}

Pair SplitArithmetic::sub(Pair a, Pair b) {
  Operand borrow = e_.convert(Opcode::Zext, Type::i32, e_.cmp(Cond::ult, {a.lo, b.lo}));
  return {e_.sub({a.lo, b.lo}), e_.sub({e_.sub({a.hi, b.hi}), borrow})};
}

Pair SplitArithmetic::mul(Pair a, Pair b) {
  Operand hi = mul_high(a.lo, b.lo);
  hi = e_.add({hi, e_.mul({a.lo, b.hi})});
  return {e_.mul({a.lo, b.lo}), e_.add({hi, e_.mul({a.hi, b.lo})})};
}

// By halves of the operands: no sum here exceeds their width.
Operand SplitArithmetic::mul_high(Operand a, Operand b) {
  Type type = e_.type(a);
  unsigned half = bit_width(type) / 2;
  if (e_.is_literal(a, 0) || e_.is_literal(b, 0) || e_.is_literal(a, 1) || e_.is_literal(b, 1)) {
    return e_.literal(type, 0);
  }
  Operand mask = e_.literal(type, (uint64_t{1} << half) - 1);
  Operand a0 = e_.and_({a, mask}), a1 = e_.lshr(a, half), b0 = e_.and_({b, mask}), b1 = e_.lshr(b, half);
  Operand middle = e_.add({e_.mul({a1, b0}), e_.lshr(e_.mul({a0, b0}), half)});
  Operand other = e_.add({e_.mul({a0, b1}), e_.and_({middle, mask})});
  return e_.add({e_.add({e_.mul({a1, b1}), e_.lshr(middle, half)}), e_.lshr(other, half)});
}

Pair SplitArithmetic::select(Operand predicate, Pair a, Pair b) {
  return {e_.select({predicate, a.lo, b.lo}), e_.select({predicate, a.hi, b.hi})};
}

Pair SplitArithmetic::shift(Opcode op, Pair a, Operand amount) {
  if (amount.is_literal()) return constant_shift(op, a, e_.function().literal_bits(amount));
  // By `low` within halves, and, if `crosses`, from one to the other.
  Operand low = e_.and_({amount, word(31)});
  Operand rest = e_.xor_({low, word(31)});
  Operand crosses = e_.cmp(Cond::ne, {e_.and_({amount, word(32)}), word(0)});
  if (op == Opcode::Shl) {
    Operand lo = e_.op(op, {a.lo, low});
    Operand carried = e_.op(Opcode::Lshr, {e_.lshr(a.lo, 1), rest});
    Operand hi = e_.or_({e_.op(op, {a.hi, low}), carried});
    return {e_.select({crosses, word(0), lo}), e_.select({crosses, lo, hi})};
  }
  Operand hi = e_.op(op, {a.hi, low});
  Operand carried = e_.op(Opcode::Shl, {e_.shl(a.hi, 1), rest});
  Operand lo = e_.or_({e_.op(Opcode::Lshr, {a.lo, low}), carried});
  Operand filling = op == Opcode::Ashr ? sign(a.hi) : word(0);
  return {e_.select({crosses, hi, lo}), e_.select({crosses, filling, hi})};
}

Pair SplitArithmetic::constant_shift(Opcode op, Pair a, uint64_t amount) {
  Operand undef = Operand::undef(Type::i32);
  if (amount >= 64) return {undef, undef};
  if (amount == 0) return a;
  unsigned n = static_cast<unsigned>(amount) & 31;
  if (op == Opcode::Shl) {
    if (amount >= 32) return {word(0), e_.shl(a.lo, n)};
    return {e_.shl(a.lo, n), e_.or_({e_.shl(a.hi, n), e_.lshr(a.lo, 32 - n)})};
  }
  Operand hi = op == Opcode::Ashr ? e_.ashr(a.hi, n) : e_.lshr(a.hi, n);
  if (amount >= 32) return {hi, op == Opcode::Ashr ? sign(a.hi) : word(0)};
  return {e_.or_({e_.lshr(a.lo, n), e_.shl(a.hi, 32 - n)}), hi};
}

// The two words of `a:b` that the result begins with, and the one behind them, by bit 5 of the amount.
Pair SplitArithmetic::funnel(Opcode op, Pair a, Pair b, Pair amount) {
  Operand crosses = e_.cmp(Cond::ne, {e_.and_({amount.lo, word(32)}), word(0)});
  bool left = op == Opcode::Fshl;
  Operand upper = left ? e_.select({crosses, a.lo, a.hi}) : e_.select({crosses, a.hi, a.lo});
  Operand middle = left ? e_.select({crosses, b.hi, a.lo}) : e_.select({crosses, a.lo, b.hi});
  Operand lower = left ? e_.select({crosses, b.lo, b.hi}) : e_.select({crosses, b.hi, b.lo});
  return {e_.op(op, {middle, lower, amount.lo}), e_.op(op, {upper, middle, amount.lo})};
}

Pair SplitArithmetic::magnitude(Pair a) {
  Operand mask = sign(a.hi);
  return sub({e_.xor_({a.lo, mask}), e_.xor_({a.hi, mask})}, {mask, mask});
}

Pair SplitArithmetic::saturated(Operand overflows, Pair a, Pair exact) {
  Operand mask = sign(a.hi);
  Operand low = e_.not_(mask);
  return select(overflows, {low, e_.xor_({mask, word(0x7fffffff)})}, exact);
}

Operand SplitArithmetic::cmp(Cond cond, Pair a, Pair b) {
  if (cond == Cond::eq || cond == Cond::ne) {
    return e_.cmp(cond, {e_.or_({e_.xor_({a.lo, b.lo}), e_.xor_({a.hi, b.hi})}), word(0)});
  }
  bool by_sign = (cond == Cond::lt || cond == Cond::ge) && e_.is_literal(b.lo, 0) && e_.is_literal(b.hi, 0);
  if (by_sign) return e_.cmp(cond, {a.hi, word(0)});
  // `le` of the upper halves is `lt`, or equal and `ule` of the lower ones.
  Cond upper = cond, lower = cond;
  switch (cond) {
    case Cond::lt:
      upper = Cond::lt, lower = Cond::ult;
      break;
    case Cond::le:
      upper = Cond::lt, lower = Cond::ule;
      break;
    case Cond::gt:
      upper = Cond::gt, lower = Cond::ugt;
      break;
    case Cond::ge:
      upper = Cond::gt, lower = Cond::uge;
      break;
    case Cond::ule:
      upper = Cond::ult;
      break;
    case Cond::uge:
      upper = Cond::ugt;
      break;
    default:
      break;
  }
  Operand equal = e_.cmp(Cond::eq, {a.hi, b.hi});
  return e_.or_({e_.cmp(upper, {a.hi, b.hi}), e_.and_({equal, e_.cmp(lower, {a.lo, b.lo})})});
}

Operand SplitArithmetic::overflow(Opcode op, Pair a, Pair b) {
  switch (op) {
    case Opcode::UaddOverflow:
      return cmp(Cond::ult, add(a, b), a);
    case Opcode::UsubOverflow:
      return cmp(Cond::ult, a, b);
    case Opcode::SaddOverflow: {
      // Both operands have the sign that the sum has not.
      Operand sum = add(a, b).hi;
      Operand wrong = e_.and_({e_.xor_({a.hi, sum}), e_.xor_({b.hi, sum})});
      return e_.cmp(Cond::lt, {wrong, word(0)});
    }
    case Opcode::SsubOverflow: {
      Operand difference = sub(a, b).hi;
      Operand wrong = e_.and_({e_.xor_({a.hi, b.hi}), e_.xor_({a.hi, difference})});
      return e_.cmp(Cond::lt, {wrong, word(0)});
    }
    case Opcode::UmulOverflow:
      return unsigned_product_overflows(a, b);
    default:
      return signed_product_overflows(a, b);
  }
}

// Both upper halves, or what is added to the upper half of the product, are too much.
Operand SplitArithmetic::unsigned_product_overflows(Pair a, Pair b) {
  auto nonzero = [&](Operand x) { return e_.cmp(Cond::ne, {x, word(0)}); };
  Operand both = e_.and_({nonzero(a.hi), nonzero(b.hi)});
  Operand crossing = e_.or_({nonzero(mul_high(a.hi, b.lo)), nonzero(mul_high(a.lo, b.hi))});
  // At most one of them is not zero, unless `both`.
  Operand added = e_.add({e_.mul({a.hi, b.lo}), e_.mul({a.lo, b.hi})});
  Operand sum = e_.add({mul_high(a.lo, b.lo), added});
  return e_.or_({e_.or_({both, crossing}), e_.cmp(Cond::ult, {sum, added})});
}

Operand SplitArithmetic::signed_product_overflows(Pair a, Pair b) {
  Pair x = magnitude(a), y = magnitude(b);
  Pair product = mul(x, y);
  // As an unsigned number at most 2^63 - 1, or 2^63 if it is to be negative.
  Operand negative = e_.lshr(e_.xor_({a.hi, b.hi}), 31);
  Pair limit = add(literal(INT64_MAX), {negative, word(0)});
  return e_.or_({unsigned_product_overflows(x, y), cmp(Cond::ugt, product, limit)});
}

}  // namespace psi::select
