// What terms say, worked out from their structure and the values that they speak of.
#pragma once

#include <bit>
#include <vector>

#include "psi/predicate/terms.h"

namespace psi::testing {

inline double as_double(uint64_t bits, Type type) {
  return type == Type::f32 ? std::bit_cast<float>(static_cast<uint32_t>(bits)) : std::bit_cast<double>(bits);
}

inline uint8_t outcome_of(Type type, uint64_t left, uint64_t right) {
  if (is_float(type)) {
    double a = as_double(left, type), b = as_double(right, type);
    return a == b  ? Condition::Equal
           : a < b ? Condition::Less
           : a > b ? Condition::Greater
                   : Condition::Unordered;
  }
  if (left == right) return Condition::Equal;
  bool is_below = left < right;
  if (sign_extend(left, type) < sign_extend(right, type)) {
    return is_below ? Condition::LessLess : Condition::LessGreater;
  }
  return is_below ? Condition::GreaterLess : Condition::GreaterGreater;
}

// `value(ValueNumber)` gives the bits.
template <class Value>
bool holds(const Condition& condition, Value value) {
  uint64_t left = value(condition.left);
  switch (condition.kind) {
    case Condition::Kind::Bit:
      return left & 1;
    case Condition::Kind::Pair:
      return outcome_of(condition.type, left, value(condition.right)) & condition.outcomes;
    default:
      int64_t number = sign_extend(left, condition.type);
      return condition.low <= number && number <= condition.high;
  }
}

template <class Value>
bool holds(const PredicateTerms& terms, Term term, Value value) {
  // Parts are asked about once: 0 unknown, 1 false, 2 true.
  std::vector<uint8_t> known(terms.num_nodes());
  known[0] = 2;
  auto is_known = [&](Term t) { return known[t.node()] != 0; };
  auto is_true = [&](Term t) { return (known[t.node()] == 2) != t.is_negated(); };
  std::vector<Term> work = {term};
  while (!work.empty()) {
    Term t = work.back();
    if (is_known(t)) {
      work.pop_back();
    } else if (terms.kind(t) == PredicateTerms::Kind::Condition) {
      known[t.node()] = holds(terms.condition(t), value) ? 2 : 1;
    } else if (is_known(terms.first(t)) && is_known(terms.second(t))) {
      known[t.node()] = is_true(terms.first(t)) && is_true(terms.second(t)) ? 2 : 1;
    } else {
      work.push_back(terms.first(t));
      work.push_back(terms.second(t));
    }
  }
  return is_true(term);
}

}  // namespace psi::testing
