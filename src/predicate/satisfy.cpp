#include <algorithm>
#include <array>
#include <bit>
#include <limits>
#include <vector>

#include "predicate/witness.h"

namespace psi::predicate {
namespace {

using Pair = std::pair<uint64_t, uint64_t>;

// Two numbers of each outcome.
std::array<Pair, 5> pairs_to_try(Type type) {
  uint64_t one = 1, other = value_mask(type);
  if (type == Type::f32) {
    one = std::bit_cast<uint32_t>(1.0f);
    other = std::bit_cast<uint32_t>(std::numeric_limits<float>::quiet_NaN());
  } else if (type == Type::f64) {
    one = std::bit_cast<uint64_t>(1.0);
    other = std::bit_cast<uint64_t>(std::numeric_limits<double>::quiet_NaN());
  }
  return {{{0, 0}, {0, one}, {one, 0}, {0, other}, {other, 0}}};
}

// The conditions of one family: values for which they are all true.
std::optional<Pair> satisfy_family(const PredicateTerms& terms, std::span<const Term> family) {
  auto is_fine = [&](Pair pair) {
    return std::ranges::all_of(family, [&](Term factor) {
      return holds(terms.condition(factor), pair.first, pair.second) != factor.is_negated();
    });
  };
  const Condition& condition = terms.condition(family[0]);
  if (condition.kind == Condition::Kind::Pair) {
    for (Pair pair : pairs_to_try(condition.type)) {
      if (is_fine(pair)) return pair;
    }
    return std::nullopt;
  }
  // If any number is in some ranges and not in others, then one where a range starts or has just ended.
  uint64_t mask = value_mask(condition.type);
  for (Term factor : family) {
    const Condition& range = terms.condition(factor);
    uint64_t low = static_cast<uint64_t>(range.low), beyond = static_cast<uint64_t>(range.high) + 1;
    for (uint64_t bits : {uint64_t{0}, uint64_t{1}, low & mask, beyond & mask}) {
      if (is_fine({bits, 0})) return Pair{bits, 0};
    }
  }
  return std::nullopt;
}

}  // namespace

std::optional<Witness> satisfy(const PredicateTerms& terms, std::span<const Term> product) {
  std::vector<Term> factors(product.begin(), product.end());
  auto family = [&](Term factor) {
    const Condition& c = terms.condition(factor);
    return std::tuple(c.left, c.kind, c.right, c.type);
  };
  std::ranges::sort(factors, {}, family);
  Witness result;
  for (size_t i = 0; i < factors.size();) {
    size_t end = i + 1;
    while (end < factors.size() && family(factors[end]) == family(factors[i])) ++end;
    const Condition& condition = terms.condition(factors[i]);
    std::optional<Pair> values = satisfy_family(terms, std::span(factors).subspan(i, end - i));
    bool is_pair = condition.kind == Condition::Kind::Pair;
    if (!values || (is_pair && condition.left == condition.right)) return std::nullopt;
    result.push_back({condition.left, condition.type, values->first});
    if (is_pair) result.push_back({condition.right, condition.type, values->second});
    i = end;
  }
  auto is_fixed = [&](const WitnessValue& value) { return terms.is_fixed(value.number); };
  std::ranges::sort(result, {}, &WitnessValue::number);
  bool is_shared = std::ranges::adjacent_find(result, {}, &WitnessValue::number) != result.end();
  if (is_shared || std::ranges::any_of(result, is_fixed)) return std::nullopt;
  return result;
}

}  // namespace psi::predicate
