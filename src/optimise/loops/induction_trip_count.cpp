// The number of times that a comparison of a counter holds before it fails.
//
//     for (i = 3; i < 10; i += 2)      3 5 7 9 | 11: fails for k = 4
//     for (i = 6; i != 0; i -= 2)      6 4 2 | 0:    fails for k = 3
//
// Orderings are reduced to unsigned 64-bit distances in signed or unsigned order. Equality is solved modulo
// 2^width.
#include <bit>

#include "psi/ir/evaluate.h"
#include "psi/optimise/induction.h"

namespace psi {
namespace {

// start + k * step = bound modulo 2^width.
std::optional<uint64_t> solve(Type type, uint64_t start, uint64_t step, uint64_t bound) {
  uint64_t distance = (bound - start) & value_mask(type);
  if (distance == 0) return 0;
  if (step == 0) return std::nullopt;
  unsigned zeros = static_cast<unsigned>(std::countr_zero(step));
  if (static_cast<unsigned>(std::countr_zero(distance)) < zeros) return std::nullopt;
  uint64_t odd = step >> zeros;
  // Newton's iteration for the inverse: each doubles the bits that are right, from three.
  uint64_t inverse = odd;
  for (int i = 0; i < 5; ++i) inverse *= 2 - odd * inverse;
  return ((distance >> zeros) * inverse) & (value_mask(type) >> zeros);
}

// While `value < limit`, where values go up from 0 by `step` and must not exceed `max`. All are distances
// from the start.
std::optional<uint64_t> climb(uint64_t limit, uint64_t step, uint64_t max) {
  uint64_t count = (limit - 1) / step + 1;
  if (count > max / step) return std::nullopt;
  return count;
}

}  // namespace

std::optional<uint64_t> first_failure(Type type, Cond cond, uint64_t start, uint64_t step, uint64_t bound) {
  uint64_t mask = value_mask(type);
  start &= mask, step &= mask, bound &= mask;
  if (!eval_cond(cond, type, start, bound)) return 0;
  if (step == 0) return std::nullopt;
  if (cond == Cond::eq) return 1;
  if (cond == Cond::ne) return solve(type, start, step, bound);

  bool is_signed = cond <= Cond::ge;
  bool is_up = cond == Cond::lt || cond == Cond::le || cond == Cond::ult || cond == Cond::ule;
  bool is_strict = cond == Cond::lt || cond == Cond::gt || cond == Cond::ult || cond == Cond::ugt;
  // Shifted so that the order of signed numbers is that of unsigned ones.
  uint64_t shift = is_signed ? (mask >> 1) + 1 : 0;
  uint64_t from = (start + shift) & mask, to = (bound + shift) & mask;
  // Downwards the same, mirrored.
  if (!is_up) from = mask - from, to = mask - to, step = (0 - step) & mask;
  if (step > mask >> 1) return std::nullopt;  // away from the bound
  uint64_t distance = to - from;
  if (!is_strict) {
    if (to == mask) return std::nullopt;  // always true
    ++distance;
  }
  return climb(distance, step, mask - from);
}

}  // namespace psi
