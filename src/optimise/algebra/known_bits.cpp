#include "optimise/algebra/known_bits.h"

#include <algorithm>
#include <bit>

namespace psi::optimise {

Bits KnownBits::operator()(Operand operand) const {
  if (operand.is_literal()) return Bits::exactly(function_.literal_bits(operand));
  if (operand.is_reg() && operand.reg().index() < bits_.size()) return bits_[operand.reg().index()];
  return Bits::unknown(function_.as_bits(function_.type(operand)));
}

void KnownBits::update(InstId id) {
  const Inst& inst = function_.inst(id);
  if (!inst.results[0] || !is_int(function_.type(inst.results[0]))) return;
  size_t old = bits_.size();
  size_t needed = std::max<size_t>(inst.results[0].index() + 1, function_.num_regs());
  if (needed > old) {
    bits_.resize(needed);
    for (size_t r = old; r < needed; ++r)
      bits_[r] = Bits::unknown(function_.as_bits(function_.type(Reg(static_cast<uint32_t>(r)))));
  }
  Bits& bits = bits_[inst.results[0].index()];
  bits = of(inst, function_.operands(id));
  // Both: the value is undef.
  if (bits.zeros & bits.ones) bits = Bits::unknown(function_.type(inst.results[0]));
}

Bits KnownBits::of(const Inst& inst, std::span<const Operand> operands) const {
  Type type = inst.result_type();
  auto at = [&](size_t i) { return (*this)(operands[i]); };
  Bits unknown = Bits::unknown(type);
  switch (inst.op) {
    case Opcode::And:
      return {at(0).zeros | at(1).zeros, at(0).ones & at(1).ones};
    case Opcode::Or:
      return {at(0).zeros & at(1).zeros, at(0).ones | at(1).ones};
    case Opcode::Xor:
      return {(at(0).zeros & at(1).zeros) | (at(0).ones & at(1).ones) | unknown.zeros,
              (at(0).zeros & at(1).ones) | (at(0).ones & at(1).zeros)};
    case Opcode::Not:
      return {at(0).ones | unknown.zeros, at(0).zeros & value_mask(type)};
    case Opcode::Add:
    case Opcode::Mul:
      return of_sum(inst, operands);
    case Opcode::Shl:
    case Opcode::Lshr:
    case Opcode::Ashr:
      return of_shift(inst, operands);
    case Opcode::Udiv:
    case Opcode::Umin:
    case Opcode::Urem: {
      // No greater than the dividend, and for a remainder no greater than the divisor.
      uint64_t greatest = at(0).greatest();
      if (inst.op != Opcode::Udiv) greatest = std::min(greatest, at(1).greatest());
      return {greatest == 0 ? ~uint64_t{0} : ~(~uint64_t{0} >> std::countl_zero(greatest)), 0};
    }
    case Opcode::Select:
    case Opcode::Phi:
    case Opcode::Psi: {
      Bits all = {~uint64_t{0}, ~uint64_t{0}};
      size_t step = inst.op == Opcode::Select ? 1 : 2;
      for (size_t i = 1; i < operands.size(); i += step) {
        if (operands[i].is_undef()) continue;
        all = {all.zeros & at(i).zeros, all.ones & at(i).ones};
      }
      return all;
    }
    case Opcode::Mov:
      return at(0);
    case Opcode::Ctpop:
    case Opcode::Ctlz:
    case Opcode::Cttz:
      return {~uint64_t{127}, 0};
    case Opcode::Zext:
    case Opcode::Sext:
    case Opcode::Trunc:
      return of_convert(inst, operands[0]);
    default:
      return unknown;
  }
}

Bits KnownBits::of_convert(const Inst& inst, Operand operand) const {
  Bits from = (*this)(operand);
  uint64_t mask = value_mask(inst.type);
  if (inst.op == Opcode::Zext) return from;
  if (inst.op == Opcode::Trunc) return {from.zeros | ~mask, from.ones & mask};
  uint64_t upper = mask & ~value_mask(inst.from());
  uint64_t sign = uint64_t{1} << (bit_width(inst.from()) - 1);
  if (from.zeros & sign) return from;
  from.zeros &= ~upper;
  if (from.ones & sign) from.ones |= upper;
  return from;
}

// The low bits that both operands know to be zero stay so in a sum; in a product they add up.
Bits KnownBits::of_sum(const Inst& inst, std::span<const Operand> operands) const {
  Bits a = (*this)(operands[0]), b = (*this)(operands[1]);
  uint64_t mask = value_mask(inst.type);
  int low_a = std::countr_one(a.zeros), low_b = std::countr_one(b.zeros);
  int low = inst.op == Opcode::Add ? std::min(low_a, low_b) : std::min(64, low_a + low_b);
  Bits result = {~mask, 0};
  if (low > 0) result.zeros |= ~uint64_t{0} >> (64 - low);
  // No bit above the highest one that the greatest result has.
  uint64_t greatest = 0;
  bool overflows = inst.op == Opcode::Add ? __builtin_add_overflow(a.greatest(), b.greatest(), &greatest)
                                          : __builtin_mul_overflow(a.greatest(), b.greatest(), &greatest);
  if (!overflows && greatest <= mask) {
    result.zeros |= greatest == 0 ? ~uint64_t{0} : ~(~uint64_t{0} >> std::countl_zero(greatest));
  }
  return result;
}

Bits KnownBits::of_shift(const Inst& inst, std::span<const Operand> operands) const {
  Bits value = (*this)(operands[0]);
  uint64_t mask = value_mask(inst.type);
  Bits unknown = {~mask, 0};
  unsigned width = bit_width(inst.type);
  if (!operands[1].is_literal()) {
    // Shifted right, a value has at least the zeros above that it had.
    if (inst.op == Opcode::Lshr || (value.zeros >> (width - 1) & 1 && inst.op == Opcode::Ashr)) {
      unknown.zeros |=
          value.zeros == ~uint64_t{0} ? ~uint64_t{0} : ~(~uint64_t{0} >> std::countl_one(value.zeros));
    }
    return unknown;
  }
  uint64_t amount = function_.literal_bits(operands[1]);
  if (amount >= width) return unknown;
  uint64_t moved_in = ~(mask >> amount) & mask;
  switch (inst.op) {
    case Opcode::Shl:
      return {(value.zeros << amount | ((uint64_t{1} << amount) - 1) | ~mask), value.ones << amount & mask};
    case Opcode::Lshr:
      return {(value.zeros & mask) >> amount | moved_in | ~mask, value.ones >> amount};
    default: {
      uint64_t sign = uint64_t{1} << (width - 1);
      Bits result = {((value.zeros & mask) >> amount) | ~mask, value.ones >> amount};
      if (value.zeros & sign) result.zeros |= moved_in;
      if (value.ones & sign) result.ones |= moved_in;
      return result;
    }
  }
}

}  // namespace psi::optimise
