#include "optimise/ranges/ranges_arithmetic.h"

#include <algorithm>
#include <bit>

#include "psi/ir/evaluate.h"

namespace psi::optimise {
namespace {

__extension__ typedef __int128 Wide;

// All numbers with no higher bit than this one has.
uint64_t filled(uint64_t bits) { return bits == 0 ? 0 : ~uint64_t{0} >> std::countl_zero(bits); }

// From the exact ends of a result: its interval if both fit the type. The two halves are worked out on their
// own.
Interval from_exact(Wide least, Wide greatest, Wide unsigned_least, Wide unsigned_greatest, Type type) {
  Interval result = Interval::full(type);
  if (least >= result.least && greatest <= result.greatest) {
    result.least = static_cast<int64_t>(least);
    result.greatest = static_cast<int64_t>(greatest);
  }
  if (unsigned_least >= 0 && unsigned_greatest <= static_cast<Wide>(value_mask(type))) {
    result.unsigned_least = static_cast<uint64_t>(unsigned_least);
    result.unsigned_greatest = static_cast<uint64_t>(unsigned_greatest);
  }
  return result.completed(type);
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
  return result.completed(type);
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

bool may_overflow(Opcode op, Type type, const Interval& a, const Interval& b) {
  bool is_signed = op == Opcode::SaddOverflow || op == Opcode::SsubOverflow || op == Opcode::SmulOverflow;
  Opcode plain = op == Opcode::SaddOverflow || op == Opcode::UaddOverflow   ? Opcode::Add
                 : op == Opcode::SsubOverflow || op == Opcode::UsubOverflow ? Opcode::Sub
                                                                            : Opcode::Mul;
  Ends ends = exact(plain, a, b);
  Interval all = Interval::full(type);
  if (is_signed) return ends.least < all.least || ends.greatest > all.greatest;
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
      if (a.least == Interval::full(type).least) return Interval::full(type);
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

}  // namespace psi::optimise
