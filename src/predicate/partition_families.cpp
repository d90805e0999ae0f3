// Conditions on the same values: how they relate (overlapping, disjoint, contained), and which of them need
// symbols. Disjoint ones, such as the cases of a switch, split one input one after the other.

#include <algorithm>
#include <array>

#include "psi/predicate/partition_graph.h"

namespace psi {
namespace {

// The conditions on the same values that a new one is compared with.
std::span<const Term> last(const std::vector<Term>& members) {
  constexpr size_t kMaxRelated = 8;
  return std::span(members).last(std::min(members.size(), kMaxRelated));
}

uint64_t family_key(const Condition& c) {
  return (uint64_t{c.left} << 32 | c.right) * 16 + static_cast<uint64_t>(c.type) * 4 +
         static_cast<uint64_t>(c.kind);
}

}  // namespace

// The conditions that must be placed before this one, to be related to it.
std::vector<Term> PartitionGraph::related_conditions(Term condition) const {
  std::vector<Term> result;
  auto family = families_.find(family_key(terms_.condition(condition)));
  if (family == families_.end()) return result;
  // Only earlier members of its own family, so that members do not wait for each other.
  bool is_member = single_splits_.contains(condition.node());
  for (Term other : last(family->second.members)) {
    if (!is_member || other.node() < condition.node()) result.push_back(other);
  }
  return result;
}

bool PartitionGraph::can_be_single_split(Term condition, Term input) const {
  if (terms_.kind(condition) != PredicateTerms::Kind::Condition || is_placed(condition)) return false;
  auto single = single_splits_.find(condition.node());
  if (single != single_splits_.end()) return single->second.input == input;
  auto family = families_.find(family_key(terms_.condition(condition)));
  if (family == families_.end()) return true;
  return family->second.is_single && family->second.input == input && excludes_all(condition, family->second);
}

bool PartitionGraph::is_equality(Term condition) const {
  const Condition& c = terms_.condition(condition);
  return c.kind == Condition::Kind::Range && c.low == c.high;
}

// Of a condition that is not one of them.
bool PartitionGraph::excludes_all(Term condition, const Family& family) const {
  constexpr size_t kMaxCompared = 64;
  if (family.members.empty() || single_splits_.contains(condition.node()) ||
      !same_family(terms_.condition(condition), terms_.condition(family.members.front()))) {
    return false;
  }
  // A switch may have many equalities with different numbers.
  if (family.are_equalities && is_equality(condition)) return true;
  return family.members.size() <= kMaxCompared && std::ranges::all_of(family.members, [&](Term other) {
           return terms_.excludes(condition.positive(), other);
         });
}

void PartitionGraph::place_condition(Term term) {
  split(root(), term);
  symbols_[find(!term).index()].is_placed = true;
  Family& family = families_[family_key(terms_.condition(term))];
  bool is_in_row = !family.is_single && family.input == Term::always() && excludes_all(term, family);
  family.is_single = false;
  if (family.members.empty() || is_in_row) return extend(family, Term::always(), term.positive());
  for (Term other : last(family.members)) {
    if (other != term.positive() && is_placed(other)) relate(term.positive(), other);
  }
  auto single = single_splits_.find(term.node());
  if (single == single_splits_.end()) {
    add_member(family, term.positive());
    return;
  }
  for (Term product : single->second.products) {
    bool is_first = terms_.first(product).node() == term.node();
    split(find(is_first ? terms_.first(product) : terms_.second(product)), product);
  }
  single_splits_.erase(single);
}

// Two conditions on the same values.
void PartitionGraph::relate(Term a, Term b) {
  if (!same_family(terms_.condition(a), terms_.condition(b))) return;
  for (Term x : {a, !a}) {
    for (Term y : {b, !b}) {
      // x and y are disjoint: each is contained in the complement of the other.
      if (terms_.both(x, y) != Term::never()) continue;
      split(find(!y), x);
      return;
    }
  }
  Term common = terms_.both(a, b);
  split(find(a), common);
  split(find(b), common);
}

void PartitionGraph::add_single_split(Term condition, Term input, Term product) {
  auto [single, is_new] = single_splits_.try_emplace(condition.node());
  single->second.input = input;
  single->second.products.push_back(product);
  if (!is_new) return;
  extend(families_[family_key(terms_.condition(condition))], input, condition.positive());
}

// Adds a condition that splits the rest of the family's input.
void PartitionGraph::extend(Family& family, Term input, Term condition) {
  if (!family.members.empty()) {
    Term part = terms_.both(input, condition), rest = terms_.both(family.rest, !condition);
    Symbol whole = find(family.rest);
    if (whole && part != Term::never() && rest != Term::never()) {
      add_partition(whole, std::array{intern(part, level(whole) + 1), intern(rest, level(whole) + 1)});
    }
    family.rest = rest;
  } else {
    family.input = input;
    family.rest = terms_.both(input, !condition);
  }
  add_member(family, condition);
}

void PartitionGraph::add_member(Family& family, Term condition) {
  family.members.push_back(condition);
  family.are_equalities = family.are_equalities && is_equality(condition);
}

}  // namespace psi
