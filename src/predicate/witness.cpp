#include "predicate/witness.h"

#include <algorithm>
#include <bit>
#include <tuple>

#include "psi/predicate/explanation.h"

namespace psi {
namespace {

using Outcome = Condition::Outcome;

double as_number(Type type, uint64_t bits) {
  return type == Type::f32 ? std::bit_cast<float>(static_cast<uint32_t>(bits)) : std::bit_cast<double>(bits);
}

uint8_t outcome(Type type, uint64_t left, uint64_t right) {
  if (is_float(type)) {
    double a = as_number(type, left), b = as_number(type, right);
    if (a < b) return Outcome::Less;
    if (a > b) return Outcome::Greater;
    return a == b ? Outcome::Equal : Outcome::Unordered;
  }
  if (left == right) return Outcome::Equal;
  bool is_less = sign_extend(left, type) < sign_extend(right, type);
  if (left < right) return is_less ? Outcome::LessLess : Outcome::GreaterLess;
  return is_less ? Outcome::LessGreater : Outcome::GreaterGreater;
}

bool comes_before(const WitnessValue& a, const WitnessValue& b) {
  return std::tie(a.number, a.type) < std::tie(b.number, b.type);
}

uint64_t bits(const Witness& witness, ValueNumber number, Type type) {
  auto at = std::ranges::lower_bound(witness, WitnessValue{number, type, 0}, comes_before);
  return at != witness.end() && at->number == number && at->type == type ? at->bits : 0;
}

}  // namespace

bool predicate::holds(const Condition& condition, uint64_t left, uint64_t right) {
  switch (condition.kind) {
    case Condition::Kind::Bit:
      return left & 1;
    case Condition::Kind::Pair:
      return condition.outcomes & outcome(condition.type, left, right);
    case Condition::Kind::Range:
      break;
  }
  int64_t number = sign_extend(left, condition.type);
  return condition.low <= number && number <= condition.high;
}

bool holds(const PredicateTerms& terms, Term term, const Witness& witness) {
  std::vector<bool> is_true(term.node() + 1);
  auto value = [&](Term t) { return is_true[t.node()] != t.is_negated(); };
  // Parts are older than their wholes.
  for (uint32_t node = 0; node <= term.node(); ++node) {
    Term t = Term::of_node(node);
    switch (terms.kind(t)) {
      case PredicateTerms::Kind::Always:
        is_true[node] = true;
        break;
      case PredicateTerms::Kind::Both:
        is_true[node] = value(terms.first(t)) && value(terms.second(t));
        break;
      case PredicateTerms::Kind::Condition: {
        const Condition& c = terms.condition(t);
        is_true[node] = predicate::holds(c, bits(witness, c.left, c.type), bits(witness, c.right, c.type));
      }
    }
  }
  return value(term);
}

bool refutes(const PredicateTerms& terms, const PredicateQuestion& question, const Witness& witness) {
  bool is_subset = question.kind == PredicateQuestion::Kind::Subset;
  return holds(terms, question.first, witness) && holds(terms, question.second, witness) != is_subset;
}

Witness values_of(const PredicateTerms& terms, const PredicateQuestion& question) {
  Witness result;
  std::vector<bool> is_met(std::max(question.first.node(), question.second.node()) + 1);
  std::vector<Term> work{question.first, question.second};
  while (!work.empty()) {
    Term next = work.back();
    work.pop_back();
    if (is_met[next.node()]) continue;
    is_met[next.node()] = true;
    if (terms.kind(next) == PredicateTerms::Kind::Both) {
      work.push_back(terms.first(next));
      work.push_back(terms.second(next));
    } else if (terms.kind(next) == PredicateTerms::Kind::Condition) {
      const Condition& condition = terms.condition(next);
      result.push_back({condition.left, condition.type, 0});
      if (condition.kind == Condition::Kind::Pair) result.push_back({condition.right, condition.type, 0});
    }
  }
  std::ranges::sort(result, comes_before);
  auto repeated = std::ranges::unique(result);
  result.erase(repeated.begin(), repeated.end());
  return result;
}

}  // namespace psi
