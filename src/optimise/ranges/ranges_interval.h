// Intervals of integers, as signed and as unsigned numbers at once.
//
//     i8:  %x = and %y, 15      signed [0, 15]      unsigned [0, 15]
//          %z = sub %x, 1       signed [-1, 14]     unsigned [0, 255]
//
// Each half is refined by the other, so that a value is in the interval if it is in both halves.
#pragma once

#include <cstdint>

#include "psi/ir/inst.h"

namespace psi::optimise {

struct Interval {
  int64_t least = 0, greatest = -1;  // as signed numbers
  uint64_t unsigned_least = 1, unsigned_greatest = 0;

  // No value: of a register that has not been computed, or never is.
  bool is_empty() const { return least > greatest || unsigned_least > unsigned_greatest; }
  bool is_single() const { return !is_empty() && unsigned_least == unsigned_greatest; }
  bool is_nonnegative() const { return least >= 0; }
  bool operator==(const Interval&) const = default;

  // Refines each half by the other.
  Interval completed(Type type) const;

  static Interval full(Type type) {
    auto top = static_cast<int64_t>(value_mask(type) >> 1);
    return {-top - 1, top, 0, value_mask(type)};
  }
  static Interval single(uint64_t bits, Type type);
  static Interval of_signed(int64_t least, int64_t greatest, Type type);
  static Interval of_unsigned(uint64_t least, uint64_t greatest, Type type);
};

Interval join(const Interval& a, const Interval& b);
Interval meet(const Interval& a, const Interval& b, Type type);
// Where `now` lies outside `before`, its ends go to the next of zero and the ends of the type.
Interval widen(const Interval& before, const Interval& now, Type type);
// The part of `x` that can be in the relation to a value of `y`.
Interval constrain(const Interval& x, Cond cond, const Interval& y, Type type);
// Does the relation hold for all values, or for none? 1, 0; -1: neither is known.
int decide(const Interval& x, Cond cond, const Interval& y);

}  // namespace psi::optimise
