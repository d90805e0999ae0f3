// Terms, made once each. Comparisons become sets of outcomes, the smaller one of a set and its complement, so
// that `a < b`, `b > a` and `!(a >= b)` are the same condition; an unsigned comparison with a constant is a
// range of signed numbers, or its complement.

#include "psi/predicate/terms.h"

#include <algorithm>
#include <array>
#include <bit>
#include <utility>

namespace psi {
namespace {

using Outcome = Condition::Outcome;

constexpr uint8_t kAllInt = all_outcomes(Type::i32);
constexpr uint8_t kAllFloat = all_outcomes(Type::f32);

}  // namespace

uint8_t outcomes_of(Cond cond) {
  constexpr uint8_t kLess = Outcome::LessLess | Outcome::LessGreater;
  constexpr uint8_t kBelow = Outcome::LessLess | Outcome::GreaterLess;
  constexpr uint8_t kEqual = Outcome::Equal;
  constexpr uint8_t kUnordered = Outcome::Unordered;
  switch (cond) {
    case Cond::eq:
      return kEqual;
    case Cond::ne:
      return kAllInt & ~kEqual;
    case Cond::lt:
      return kLess;
    case Cond::le:
      return kLess | kEqual;
    case Cond::gt:
      return kAllInt & ~(kLess | kEqual);
    case Cond::ge:
      return kAllInt & ~kLess;
    case Cond::ult:
      return kBelow;
    case Cond::ule:
      return kBelow | kEqual;
    case Cond::ugt:
      return kAllInt & ~(kBelow | kEqual);
    case Cond::uge:
      return kAllInt & ~kBelow;
    case Cond::foeq:
      return kEqual;
    case Cond::fone:
      return Outcome::Less | Outcome::Greater;
    case Cond::folt:
      return Outcome::Less;
    case Cond::fole:
      return Outcome::Less | kEqual;
    case Cond::fogt:
      return Outcome::Greater;
    case Cond::foge:
      return Outcome::Greater | kEqual;
    case Cond::ford:
      return kAllFloat & ~kUnordered;
    case Cond::fueq:
      return kUnordered | kEqual;
    case Cond::fune:
      return kAllFloat & ~kEqual;
    case Cond::fult:
      return kUnordered | Outcome::Less;
    case Cond::fule:
      return kUnordered | Outcome::Less | kEqual;
    case Cond::fugt:
      return kUnordered | Outcome::Greater;
    case Cond::fuge:
      return kUnordered | Outcome::Greater | kEqual;
    case Cond::funo:
      return kUnordered;
  }
  return 0;
}

namespace {

// The same with exchanged operands.
uint8_t swapped(uint8_t outcomes, Type type) {
  auto exchange = [&](Outcome a, Outcome b) {
    bool has_a = outcomes & a, has_b = outcomes & b;
    outcomes = static_cast<uint8_t>(outcomes & ~(a | b));
    outcomes = static_cast<uint8_t>(outcomes | (has_a ? b : 0) | (has_b ? a : 0));
  };
  if (is_float(type)) {
    exchange(Outcome::Less, Outcome::Greater);
  } else {
    exchange(Outcome::LessLess, Outcome::GreaterGreater);
    exchange(Outcome::LessGreater, Outcome::GreaterLess);
  }
  return outcomes;
}

int64_t smallest(Type type) { return sign_extend(uint64_t{1} << (bit_width(type) - 1), type); }
int64_t largest(Type type) { return ~smallest(type); }

uint64_t hash_of(uint64_t a, uint64_t b, uint64_t c) {
  uint64_t hash = (a * 0x9e3779b97f4a7c15u ^ b) * 0xbf58476d1ce4e5b9u;
  hash = (hash ^ hash >> 29 ^ c) * 0x94d049bb133111ebu;
  return hash ^ hash >> 32;
}

}  // namespace

bool same_family(const Condition& a, const Condition& b) {
  return a.kind == b.kind && a.type == b.type && a.left == b.left && a.right == b.right;
}

PredicateTerms::PredicateTerms() : nodes_{{Kind::Always, 0, 0}}, table_(64) {}

// --- Conditions -------------------------------------------------------------------------------------------

Term PredicateTerms::bit(ValueNumber value) {
  Condition condition;
  condition.left = value;
  return condition_literal(condition, false);
}

Term PredicateTerms::compare(Type type, Cond cond, ValueNumber left, ValueNumber right) {
  Condition condition;
  condition.kind = Condition::Kind::Pair;
  condition.type = type;
  condition.outcomes = outcomes_of(cond);
  condition.left = left;
  condition.right = right;
  if (left > right) {
    std::swap(condition.left, condition.right);
    condition.outcomes = swapped(condition.outcomes, type);
  }
  return condition_literal(condition, false);
}

Term PredicateTerms::compare_with_constant(Type type, Cond cond, ValueNumber left, uint64_t constant_bits) {
  int64_t constant = sign_extend(constant_bits, type);
  int64_t first = smallest(type), last = largest(type);
  auto range = [&](int64_t low, int64_t high, bool negated) {
    Condition condition;
    condition.kind = Condition::Kind::Range;
    condition.type = type;
    condition.left = left;
    condition.low = low;
    condition.high = high;
    return condition_literal(condition, negated);
  };
  auto less = [&](int64_t bound) { return bound == first ? Term::never() : range(first, bound - 1, false); };
  // As unsigned numbers the negative ones come last.
  auto below = [&](int64_t bound) {
    if (bound == 0) return Term::never();
    return bound > 0 ? range(0, bound - 1, false) : range(bound, -1, true);
  };
  auto at_most = [&](int64_t bound) { return bound == last ? Term::always() : less(bound + 1); };
  auto not_above = [&](int64_t bound) {
    return bound == -1 ? Term::always() : below(bound == last ? first : bound + 1);
  };
  switch (cond) {
    case Cond::eq:
      return range(constant, constant, false);
    case Cond::ne:
      return range(constant, constant, true);
    case Cond::lt:
      return less(constant);
    case Cond::ge:
      return !less(constant);
    case Cond::le:
      return at_most(constant);
    case Cond::gt:
      return !at_most(constant);
    case Cond::ult:
      return below(constant);
    case Cond::uge:
      return !below(constant);
    case Cond::ule:
      return not_above(constant);
    default:
      return !not_above(constant);
  }
}

// In normal form, so that there is one condition for a set and its complement.
Term PredicateTerms::condition_literal(Condition condition, bool negated) {
  if (condition.kind == Condition::Kind::Pair) {
    uint8_t all = all_outcomes(condition.type);
    if (condition.left == condition.right) {
      // A value equals itself, unless it is not a number.
      all = is_float(condition.type) ? Outcome::Equal | Outcome::Unordered : Outcome::Equal;
      condition.outcomes &= all;
    }
    uint8_t rest = all & static_cast<uint8_t>(~condition.outcomes);
    if (rest == 0) return negated ? Term::never() : Term::always();
    if (condition.outcomes == 0) return negated ? Term::always() : Term::never();
    int more = std::popcount(condition.outcomes) - std::popcount(rest);
    if (more > 0 || (more == 0 && condition.outcomes & Outcome::Equal)) {
      condition.outcomes = rest;
      negated = !negated;
    }
  } else if (condition.kind == Condition::Kind::Range) {
    int64_t first = smallest(condition.type), last = largest(condition.type);
    if (condition.low == first && condition.high == last) return negated ? Term::never() : Term::always();
    if (condition.high == last) {
      condition.high = condition.low - 1;
      condition.low = first;
      negated = !negated;
    }
  }
  uint64_t hash = hash_of(uint64_t{condition.left} << 32 | condition.right,
                          static_cast<uint64_t>(condition.low) * 31 + static_cast<uint64_t>(condition.high),
                          uint64_t{condition.outcomes} << 8 | static_cast<uint64_t>(condition.kind) << 4 |
                              static_cast<uint64_t>(condition.type));
  auto is_same = [&](uint32_t node) {
    return nodes_[node].kind == Kind::Condition && conditions_[nodes_[node].first] == condition;
  };
  if (uint32_t node = find(hash, is_same)) return Term::of_node(node, negated);
  uint32_t node = add(hash, {Kind::Condition, num_conditions(), 0});
  conditions_.push_back(condition);
  condition_nodes_.push_back(node);
  return Term::of_node(node, negated);
}

// --- Conjunctions -----------------------------------------------------------------------------------------

Term PredicateTerms::both(Term a, Term b) {
  while (true) {
    if (a == Term::never() || b == Term::never() || excludes(a, b)) return Term::never();
    if (a == Term::always() || a == b) return b;
    if (b == Term::always()) return a;
    if (std::optional<Term> simpler = both_conditions(a, b)) return *simpler;
    if (std::optional<Term> simpler = neither(a, b)) return *simpler;
    if (!absorb(a, b) && !absorb(b, a)) break;
  }
  if (b < a) std::swap(a, b);
  uint64_t hash = hash_of(a.raw(), b.raw(), 1);
  auto is_same = [&](uint32_t node) {
    return nodes_[node].kind == Kind::Both && nodes_[node].first == a.raw() && nodes_[node].second == b.raw();
  };
  if (uint32_t node = find(hash, is_same)) return Term::of_node(node);
  return Term::of_node(add(hash, {Kind::Both, a.raw(), b.raw()}));
}

// Simplifies a and b, preserving their conjunction, if b is a conjunction, or the negation of one, and a
// decides one of its parts.
bool PredicateTerms::absorb(Term& a, Term& b) {
  if (kind(b) != Kind::Both) return false;
  Term parts[] = {first(b), second(b)};
  for (int i = 0; i < 2; ++i) {
    Term part = parts[i], other = parts[1 - i];
    if (b.is_negated()) {
      if (excludes(a, part)) {
        b = Term::always();
        return true;
      }
      if (a == part || (kind(a) == Kind::Condition && excludes(a, !part))) {
        b = !other;
        return true;
      }
    } else if (a == part || a == !part) {
      a = a == part ? Term::always() : Term::never();
      return true;
    } else if (std::optional<Term> simpler = both_conditions(a, part)) {
      a = *simpler == part ? Term::always() : *simpler;
      if (!a.is_constant()) b = other;
      return true;
    }
  }
  return false;
}

// Joins of a split: not x & y and not x & !y is not x, and likewise if y and the other condition are
// complementary.
std::optional<Term> PredicateTerms::neither(Term a, Term b) {
  if (kind(a) != Kind::Both || kind(b) != Kind::Both || !a.is_negated() || !b.is_negated()) {
    return std::nullopt;
  }
  for (Term shared : {first(a), second(a)}) {
    if (shared != first(b) && shared != second(b)) continue;
    Term y = shared == first(a) ? second(a) : first(a), z = shared == first(b) ? second(b) : first(b);
    if (y == !z) return !shared;
    if (std::optional<Term> simpler = both_conditions(!y, !z)) return !both(shared, !*simpler);
  }
  return std::nullopt;
}

bool PredicateTerms::excludes(Term a, Term b) const {
  auto parts = [&](Term term) -> std::array<Term, 2> {
    if (kind(term) != Kind::Both || term.is_negated()) return {term, term};
    return {first(term), second(term)};
  };
  if (a == !b) return true;
  for (Term x : parts(a)) {
    if (x == !b) return true;
    for (Term y : parts(b)) {
      if (x == !y || a == !y || conditions_exclude(x, y)) return true;
    }
  }
  return false;
}

bool PredicateTerms::conditions_exclude(Term a, Term b) const {
  if (kind(a) != Kind::Condition || kind(b) != Kind::Condition) return false;
  const Condition &x = condition(a), &y = condition(b);
  if (!same_family(x, y)) return false;
  if (x.kind == Condition::Kind::Pair) return (outcomes(a) & outcomes(b)) == 0;
  if (x.kind != Condition::Kind::Range || (a.is_negated() && b.is_negated())) return false;
  if (!a.is_negated() && !b.is_negated()) return x.high < y.low || y.high < x.low;
  const Condition &inside = a.is_negated() ? y : x, &outside = a.is_negated() ? x : y;
  return outside.low <= inside.low && inside.high <= outside.high;
}

// The outcomes of a pair in which the condition, or its negation, holds.
uint8_t PredicateTerms::outcomes(Term term) const {
  const Condition& condition = this->condition(term);
  uint8_t all = all_outcomes(condition.type);
  return static_cast<uint8_t>(term.is_negated() ? all & ~condition.outcomes : condition.outcomes);
}

// Both of two conditions on the same values, if that is a condition again.
std::optional<Term> PredicateTerms::both_conditions(Term a, Term b) {
  if (kind(a) != Kind::Condition || kind(b) != Kind::Condition) return std::nullopt;
  Condition x = condition(a), y = condition(b);
  if (!same_family(x, y)) return std::nullopt;
  if (x.kind == Condition::Kind::Pair) {
    x.outcomes = outcomes(a) & outcomes(b);
    return condition_literal(x, false);
  }
  if (x.kind != Condition::Kind::Range) return std::nullopt;
  if (a.is_negated() && b.is_negated()) {
    // Neither: outside the union, if that is a range.
    if (x.low > y.low) std::swap(x, y);
    if (x.high < y.low && x.high + 1 < y.low) return std::nullopt;
    x.high = std::max(x.high, y.high);
    return condition_literal(x, true);
  }
  if (a.is_negated()) {
    std::swap(a, b);
    std::swap(x, y);
  }
  bool apart = x.high < y.low || y.high < x.low;
  if (!b.is_negated()) {
    if (apart) return Term::never();
    x.low = std::max(x.low, y.low);
    x.high = std::min(x.high, y.high);
    return condition_literal(x, false);
  }
  // In the first and not in the second.
  if (apart) return a;
  bool starts_outside = x.low<y.low, ends_outside = x.high> y.high;
  if (!starts_outside && !ends_outside) return Term::never();
  if (starts_outside && ends_outside) return std::nullopt;
  if (starts_outside) {
    x.high = y.low - 1;
  } else {
    x.low = y.high + 1;
  }
  return condition_literal(x, false);
}

// --- The table --------------------------------------------------------------------------------------------

template <class IsSame>
uint32_t PredicateTerms::find(uint64_t hash, IsSame is_same) const {
  size_t mask = table_.size() - 1;
  for (size_t slot = hash & mask; table_[slot].node != 0; slot = (slot + 1) & mask) {
    if (table_[slot].hash == hash && is_same(table_[slot].node)) return table_[slot].node;
  }
  return 0;
}

uint32_t PredicateTerms::add(uint64_t hash, const Node& node) {
  uint32_t id = num_nodes();
  nodes_.push_back(node);
  if (nodes_.size() * 2 > table_.size()) {
    std::vector<Slot> old(table_.size() * 2);
    old.swap(table_);
    for (const Slot& slot : old) {
      if (slot.node != 0) place(slot);
    }
  }
  place({hash, id});
  return id;
}

void PredicateTerms::place(const Slot& slot) {
  size_t mask = table_.size() - 1, at = slot.hash & mask;
  while (table_[at].node != 0) at = (at + 1) & mask;
  table_[at] = slot;
}

}  // namespace psi
