#include "transform/ranges_interval.h"

#include <algorithm>
#include <bit>

#include "psi/evaluate.h"

namespace psi::transform {
namespace {

__extension__ typedef __int128 Wide;

int64_t least_of(Type type) { return sign_extend(uint64_t{1} << (bit_width(type) - 1), type); }
int64_t greatest_of(Type type) { return static_cast<int64_t>(value_mask(type) >> 1); }

// What each half says of the other.
Interval completed(Interval x, Type type) {
  if (x.is_empty()) return {};
  uint64_t mask = value_mask(type);
  uint64_t top = mask >> 1;
  for (int round = 0; round < 2; ++round) {
    // Signed numbers of one sign are in the same order as unsigned ones.
    if (x.least >= 0 || x.greatest < 0) {
      x.unsigned_least = std::max(x.unsigned_least, static_cast<uint64_t>(x.least) & mask);
      x.unsigned_greatest = std::min(x.unsigned_greatest, static_cast<uint64_t>(x.greatest) & mask);
    }
    if (x.unsigned_least > x.unsigned_greatest) return {};
    if (x.unsigned_greatest <= top || x.unsigned_least > top) {
      x.least = std::max(x.least, sign_extend(x.unsigned_least, type));
      x.greatest = std::min(x.greatest, sign_extend(x.unsigned_greatest, type));
    }
    if (x.least > x.greatest) return {};
  }
  return x;
}

// All numbers with no higher bit than this one has.
uint64_t filled(uint64_t bits) { return bits == 0 ? 0 : ~uint64_t{0} >> std::countl_zero(bits); }

// From the exact ends of a result: its interval if both fit the type. The two halves are worked out on their
// own.
Interval from_exact(Wide least, Wide greatest, Wide unsigned_least, Wide unsigned_greatest, Type type) {
  Interval result = Interval::full(type);
  if (least >= least_of(type) && greatest <= greatest_of(type)) {
    result.least = static_cast<int64_t>(least);
    result.greatest = static_cast<int64_t>(greatest);
  }
  if (unsigned_least >= 0 && unsigned_greatest <= static_cast<Wide>(value_mask(type))) {
    result.unsigned_least = static_cast<uint64_t>(unsigned_least);
    result.unsigned_greatest = static_cast<uint64_t>(unsigned_greatest);
  }
  return completed(result, type);
}

struct Ends {
  Wide least, greatest, unsigned_least, unsigned_greatest;
};

// The exact ends of a sum, difference or product.
Ends exact(Opcode op, const Interval& a, const Interval& b) {
  Wide al = a.least, ag = a.greatest, bl = b.least, bg = b.greatest;
  Wide aul = a.unsigned_least, aug = a.unsigned_greatest, bul = b.unsigned_least, bug = b.unsigned_greatest;
  switch (op) {
    case Opcode::Add:
      return {al + bl, ag + bg, aul + bul, aug + bug};
    case Opcode::Sub:
      return {al - bg, ag - bl, aul - bug, aug - bul};
    default: {
      Wide corners[] = {al * bl, al * bg, ag * bl, ag * bg};
      // 64 bits each: the product of two unsigned ends may need all 128.
      bool fits = aug <= INT64_MAX && bug <= INT64_MAX;
      return {*std::min_element(corners, corners + 4), *std::max_element(corners, corners + 4),
              fits ? aul * bul : -1, fits ? aug * bug : -1};
    }
  }
}

Interval shift(const Inst& inst, const Interval& a, const Interval& b) {
  Type type = inst.type;
  // By the width or more is undef.
  uint64_t from = b.unsigned_least, to = std::min<uint64_t>(b.unsigned_greatest, bit_width(type) - 1);
  if (from > to) return Interval::full(type);
  switch (inst.op) {
    case Opcode::Lshr:
      return Interval::of_unsigned(a.unsigned_least >> to, a.unsigned_greatest >> from, type);
    case Opcode::Ashr:
      return Interval::of_signed(a.least >> (a.least < 0 ? from : to),
                                 a.greatest >> (a.greatest < 0 ? to : from), type);
    default: {
      Wide scale_from = Wide{1} << from, scale_to = Wide{1} << to;
      Wide least = a.least * (a.least < 0 ? scale_to : scale_from);
      Wide greatest = a.greatest * (a.greatest < 0 ? scale_from : scale_to);
      bool fits = std::countl_zero(a.unsigned_greatest) >= static_cast<int>(to);
      return from_exact(least, greatest, fits ? a.unsigned_least * scale_from : Wide{-1},
                        fits ? a.unsigned_greatest * scale_to : Wide{-1}, type);
    }
  }
}

Interval bitwise(const Inst& inst, const Interval& a, const Interval& b) {
  Type type = inst.type;
  uint64_t most = std::max(a.unsigned_greatest, b.unsigned_greatest);
  Interval result = Interval::full(type);
  switch (inst.op) {
    case Opcode::And:
      result.unsigned_greatest = std::min(a.unsigned_greatest, b.unsigned_greatest);
      // With a nonnegative number it is nonnegative; two negative ones keep their sign.
      if (a.is_nonnegative() || b.is_nonnegative()) result.least = 0;
      break;
    case Opcode::Or:
      result.unsigned_least = std::max(a.unsigned_least, b.unsigned_least);
      result.unsigned_greatest = filled(most);
      break;
    default:
      result.unsigned_greatest = filled(most);
  }
  return completed(result, type);
}

Interval divide(const Inst& inst, const Interval& a, const Interval& b) {
  Type type = inst.type;
  switch (inst.op) {
    case Opcode::Udiv: {
      // A divisor of zero is undefined behaviour.
      uint64_t from = std::max<uint64_t>(b.unsigned_least, 1);
      if (from > b.unsigned_greatest) return Interval::full(type);
      return Interval::of_unsigned(a.unsigned_least / b.unsigned_greatest, a.unsigned_greatest / from, type);
    }
    case Opcode::Urem:
      if (b.unsigned_greatest == 0) return Interval::full(type);
      return Interval::of_unsigned(0, std::min(a.unsigned_greatest, b.unsigned_greatest - 1), type);
    case Opcode::Sdiv:
      if (!b.is_nonnegative() || b.greatest == 0) return Interval::full(type);
      {
        int64_t from = std::max<int64_t>(b.least, 1);
        return Interval::of_signed(a.least < 0 ? a.least / from : a.least / b.greatest,
                                   a.greatest < 0 ? a.greatest / b.greatest : a.greatest / from, type);
      }
    default: {  // the sign of the dividend, less than the divisor
      Wide size = std::max(b.least < 0 ? -static_cast<Wide>(b.least) : Wide{b.least},
                           b.greatest < 0 ? -static_cast<Wide>(b.greatest) : Wide{b.greatest}) -
                  1;
      if (size < 0) return Interval::full(type);
      Wide least = a.least < 0 ? std::max(-size, static_cast<Wide>(a.least)) : Wide{0};
      Wide greatest = a.greatest > 0 ? std::min(size, static_cast<Wide>(a.greatest)) : Wide{0};
      return Interval::of_signed(static_cast<int64_t>(least), static_cast<int64_t>(greatest), type);
    }
  }
}

Interval convert(const Inst& inst, const Interval& a) {
  Type to = inst.type;
  switch (inst.op) {
    case Opcode::Zext:
      return Interval::of_unsigned(a.unsigned_least, a.unsigned_greatest, to);
    case Opcode::Sext:
      return Interval::of_signed(a.least, a.greatest, to);
    default:
      return from_exact(a.least, a.greatest, a.unsigned_least, a.unsigned_greatest, to);
  }
}

}  // namespace

Interval Interval::full(Type type) { return {least_of(type), greatest_of(type), 0, value_mask(type)}; }

Interval Interval::single(uint64_t bits, Type type) {
  int64_t number = sign_extend(bits, type);
  return {number, number, bits, bits};
}

Interval Interval::of_signed(int64_t least, int64_t greatest, Type type) {
  return completed({least, greatest, 0, value_mask(type)}, type);
}

Interval Interval::of_unsigned(uint64_t least, uint64_t greatest, Type type) {
  return completed({least_of(type), greatest_of(type), least, greatest}, type);
}

Interval join(const Interval& a, const Interval& b) {
  if (a.is_empty()) return b;
  if (b.is_empty()) return a;
  return {std::min(a.least, b.least), std::max(a.greatest, b.greatest),
          std::min(a.unsigned_least, b.unsigned_least), std::max(a.unsigned_greatest, b.unsigned_greatest)};
}

Interval meet(const Interval& a, const Interval& b, Type type) {
  if (a.is_empty() || b.is_empty()) return {};
  return completed(
      {std::max(a.least, b.least), std::min(a.greatest, b.greatest),
       std::max(a.unsigned_least, b.unsigned_least), std::min(a.unsigned_greatest, b.unsigned_greatest)},
      type);
}

Interval widen(const Interval& before, const Interval& now, Type type) {
  if (before.is_empty()) return now;
  Interval all = Interval::full(type), result = now;
  if (now.least < before.least) result.least = now.least >= 0 ? 0 : all.least;
  if (now.greatest > before.greatest) result.greatest = now.greatest < 0 ? -1 : all.greatest;
  if (now.unsigned_least < before.unsigned_least) result.unsigned_least = 0;
  if (now.unsigned_greatest > before.unsigned_greatest) {
    uint64_t top = value_mask(type) >> 1;
    result.unsigned_greatest = now.unsigned_greatest <= top ? top : all.unsigned_greatest;
  }
  return result;
}

Interval constrain(const Interval& x, Cond cond, const Interval& y, Type type) {
  Interval limit = Interval::full(type);
  Interval result = x;
  switch (cond) {
    case Cond::eq:
      return meet(x, y, type);
    case Cond::ne:
      // Only an end can be cut off.
      if (!y.is_single()) return x;
      if (x.least == y.least) {
        if (x.least == x.greatest) return {};
        ++result.least;
      }
      if (x.greatest == y.least) --result.greatest;
      if (x.unsigned_least == y.unsigned_least) {
        if (x.unsigned_least == x.unsigned_greatest) return {};
        ++result.unsigned_least;
      }
      if (x.unsigned_greatest == y.unsigned_least) --result.unsigned_greatest;
      return completed(result, type);
    case Cond::lt:
      if (y.greatest == limit.least) return {};
      limit.greatest = y.greatest - 1;
      break;
    case Cond::le:
      limit.greatest = y.greatest;
      break;
    case Cond::gt:
      if (y.least == limit.greatest) return {};
      limit.least = y.least + 1;
      break;
    case Cond::ge:
      limit.least = y.least;
      break;
    case Cond::ult:
      if (y.unsigned_greatest == 0) return {};
      limit.unsigned_greatest = y.unsigned_greatest - 1;
      break;
    case Cond::ule:
      limit.unsigned_greatest = y.unsigned_greatest;
      break;
    case Cond::ugt:
      if (y.unsigned_least == limit.unsigned_greatest) return {};
      limit.unsigned_least = y.unsigned_least + 1;
      break;
    case Cond::uge:
      limit.unsigned_least = y.unsigned_least;
      break;
    default:
      return x;
  }
  return meet(x, limit, type);
}

int decide(const Interval& x, Cond cond, const Interval& y) {
  switch (cond) {
    case Cond::eq:
      if (x.is_single() && y.is_single() && x.unsigned_least == y.unsigned_least) return 1;
      if (x.greatest < y.least || y.greatest < x.least || x.unsigned_greatest < y.unsigned_least ||
          y.unsigned_greatest < x.unsigned_least) {
        return 0;
      }
      return -1;
    case Cond::lt:
      return x.greatest < y.least ? 1 : x.least >= y.greatest ? 0 : -1;
    case Cond::le:
      return x.greatest <= y.least ? 1 : x.least > y.greatest ? 0 : -1;
    case Cond::ult:
      return x.unsigned_greatest < y.unsigned_least ? 1 : x.unsigned_least >= y.unsigned_greatest ? 0 : -1;
    case Cond::ule:
      return x.unsigned_greatest <= y.unsigned_least ? 1 : x.unsigned_least > y.unsigned_greatest ? 0 : -1;
    case Cond::ne:
    case Cond::gt:
    case Cond::ge:
    case Cond::ugt:
    case Cond::uge: {
      int opposite = decide(x, negate(cond), y);
      return opposite < 0 ? -1 : 1 - opposite;
    }
    default:
      return -1;
  }
}

bool may_overflow(Opcode op, Type type, const Interval& a, const Interval& b) {
  bool is_signed = op == Opcode::SaddOverflow || op == Opcode::SsubOverflow || op == Opcode::SmulOverflow;
  Opcode plain = op == Opcode::SaddOverflow || op == Opcode::UaddOverflow   ? Opcode::Add
                 : op == Opcode::SsubOverflow || op == Opcode::UsubOverflow ? Opcode::Sub
                                                                            : Opcode::Mul;
  Ends ends = exact(plain, a, b);
  if (is_signed) return ends.least < least_of(type) || ends.greatest > greatest_of(type);
  return ends.unsigned_least < 0 || ends.unsigned_greatest < 0 ||
         ends.unsigned_greatest > static_cast<Wide>(value_mask(type));
}

Interval evaluate_interval(const Inst& inst, const Interval& a, const Interval& b) {
  Type type = inst.result_type();
  switch (inst.op) {
    case Opcode::Add:
    case Opcode::Sub:
    case Opcode::Mul: {
      Ends ends = exact(inst.op, a, b);
      return from_exact(ends.least, ends.greatest, ends.unsigned_least, ends.unsigned_greatest, type);
    }
    case Opcode::Neg:
      return from_exact(-static_cast<Wide>(a.greatest), -static_cast<Wide>(a.least), -1, -1, type);
    case Opcode::Not:
      return Interval::of_signed(~a.greatest, ~a.least, type);
    case Opcode::Abs:
      if (a.least == least_of(type)) return Interval::full(type);
      return Interval::of_signed(a.least >= 0      ? a.least
                                 : a.greatest <= 0 ? -a.greatest
                                                   : 0,
                                 std::max(a.least < 0 ? -a.least : a.least, a.greatest), type);
    case Opcode::And:
    case Opcode::Or:
    case Opcode::Xor:
      return bitwise(inst, a, b);
    case Opcode::Shl:
    case Opcode::Lshr:
    case Opcode::Ashr:
      return shift(inst, a, b);
    case Opcode::Udiv:
    case Opcode::Urem:
    case Opcode::Sdiv:
    case Opcode::Srem:
      return divide(inst, a, b);
    case Opcode::Smin:
      return Interval::of_signed(std::min(a.least, b.least), std::min(a.greatest, b.greatest), type);
    case Opcode::Smax:
      return Interval::of_signed(std::max(a.least, b.least), std::max(a.greatest, b.greatest), type);
    case Opcode::Umin:
      return Interval::of_unsigned(std::min(a.unsigned_least, b.unsigned_least),
                                   std::min(a.unsigned_greatest, b.unsigned_greatest), type);
    case Opcode::Umax:
      return Interval::of_unsigned(std::max(a.unsigned_least, b.unsigned_least),
                                   std::max(a.unsigned_greatest, b.unsigned_greatest), type);
    case Opcode::Ctpop:
    case Opcode::Ctlz:
    case Opcode::Cttz:
      return bit_width(type) < 8 ? Interval::full(type) : Interval::of_unsigned(0, bit_width(type), type);
    case Opcode::Zext:
    case Opcode::Sext:
    case Opcode::Trunc:
      return convert(inst, a);
    default:
      return Interval::full(type);
  }
}

}  // namespace psi::transform
