#include "optimise/ranges/ranges_interval.h"

#include <algorithm>

namespace psi::optimise {

Interval Interval::completed(Type type) const {
  Interval x = *this;
  if (x.is_empty()) return {};
  uint64_t mask = value_mask(type);
  uint64_t top = mask >> 1;
  for (int iteration = 0; iteration < 2; ++iteration) {
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

Interval Interval::single(uint64_t bits, Type type) {
  int64_t number = sign_extend(bits, type);
  return {number, number, bits, bits};
}

Interval Interval::of_signed(int64_t least, int64_t greatest, Type type) {
  return Interval{least, greatest, 0, value_mask(type)}.completed(type);
}

Interval Interval::of_unsigned(uint64_t least, uint64_t greatest, Type type) {
  Interval all = full(type);
  return Interval{all.least, all.greatest, least, greatest}.completed(type);
}

Interval join(const Interval& a, const Interval& b) {
  if (a.is_empty()) return b;
  if (b.is_empty()) return a;
  return {std::min(a.least, b.least), std::max(a.greatest, b.greatest),
          std::min(a.unsigned_least, b.unsigned_least), std::max(a.unsigned_greatest, b.unsigned_greatest)};
}

Interval meet(const Interval& a, const Interval& b, Type type) {
  if (a.is_empty() || b.is_empty()) return {};
  Interval both = {std::max(a.least, b.least), std::min(a.greatest, b.greatest),
                   std::max(a.unsigned_least, b.unsigned_least),
                   std::min(a.unsigned_greatest, b.unsigned_greatest)};
  return both.completed(type);
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
      return result.completed(type);
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

}  // namespace psi::optimise
