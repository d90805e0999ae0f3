// How terms become partitions.
//
// - A condition and its negation: 1 = c | !c. Conditions on the same values are related to each other, as one
//   of them, or its negation, may lie within the other.
// - c & i: the input i is what the condition splits: i = (c & i) | (!c & i), as for an unconditional cmpp. A
//   condition becomes a set of its own, split likewise, once that tells something: if it is asked for, splits
//   a second input, or is related to another condition.
// - j | k, as for a parallel or: if the two are disjoint, U = j | k, and the lowest set L that includes both
//   is L = U | rest; otherwise U = j | (k & !j). And always 1 = U | !U.
//
// The paper leaves nodes without a way from the root and completes the graph at the end; here every symbol
// has a way from the start.

#include "psi/partition_graph.h"

#include <algorithm>
#include <array>

namespace psi {
namespace {

// Of the conditions on the same values, those that a new one is compared with.
std::span<const Term> last(const std::vector<Term>& members) {
  constexpr size_t kMaxRelated = 8;
  return std::span(members).last(std::min(members.size(), kMaxRelated));
}

uint64_t family_key(const Condition& c) {
  return (uint64_t{c.left} << 32 | c.right) * 16 + static_cast<uint64_t>(c.type) * 4 +
         static_cast<uint64_t>(c.kind);
}

}  // namespace

PartitionGraph::PartitionGraph(PredicateTerms& terms) : terms_(terms) {
  intern(Term::always(), 0);
  symbols_[0].is_placed = true;
}

Symbol PartitionGraph::find(Term term) const {
  return term.raw() < by_term_.size() ? by_term_[term.raw()] : Symbol();
}

Symbol PartitionGraph::intern(Term term, uint32_t level) {
  if (Symbol known = find(term)) return known;
  if (term.raw() >= by_term_.size()) by_term_.resize(2 * size_t{terms_.num_nodes()});
  by_term_[term.raw()] = Symbol(num_symbols());
  Node node;
  node.term = term;
  node.level = level;
  symbols_.push_back(std::move(node));
  is_fresh_ = false;
  return by_term_[term.raw()];
}

Symbol PartitionGraph::symbol(Term term) {
  if (term == Term::never()) return Symbol();
  if (is_placed(term)) return find(term);
  std::vector<Term> pending{term};
  while (!pending.empty()) {
    Term next = pending.back();
    Symbol known = find(next);
    if (known && symbols_[known.index()].is_placed) {
      pending.pop_back();
    } else if (!needs(next, pending)) {
      place(next);
      pending.pop_back();
    }
  }
  return find(term);
}

bool PartitionGraph::is_placed(Term term) const {
  Symbol known = find(term);
  return known && symbols_[known.index()].is_placed;
}

// The input is what was there before: a predicate rather than a condition, a set rather than none, the older.
PartitionGraph::Split PartitionGraph::as_split(Term both) const {
  Term first = terms_.first(both), second = terms_.second(both);
  auto rank = [&](Term part) {
    return terms_.kind(part) == PredicateTerms::Kind::Both ? 2 : is_placed(part) ? 1 : 0;
  };
  return rank(second) > rank(first) ? Split{second, first} : Split{first, second};
}

bool PartitionGraph::can_be_lone(Term condition, Term input) const {
  if (terms_.kind(condition) != PredicateTerms::Kind::Condition || is_placed(condition)) return false;
  auto lone = lone_.find(condition.node());
  if (lone != lone_.end()) return lone->second.input == input;
  auto family = families_.find(family_key(terms_.condition(condition)));
  if (family == families_.end()) return true;
  return family->second.is_lone && family->second.input == input && excludes_all(condition, family->second);
}

bool PartitionGraph::is_equality(Term condition) const {
  const Condition& c = terms_.condition(condition);
  return c.kind == Condition::Kind::Range && c.low == c.high;
}

// Of a condition that is not one of them.
bool PartitionGraph::excludes_all(Term condition, const Family& family) const {
  constexpr size_t kMaxCompared = 64;
  if (family.members.empty() || lone_.contains(condition.node()) ||
      !same_family(terms_.condition(condition), terms_.condition(family.members.front()))) {
    return false;
  }
  // Of equalities with different numbers there may be many, in a switch.
  if (family.are_equalities && is_equality(condition)) return true;
  return family.members.size() <= kMaxCompared && std::ranges::all_of(family.members, [&](Term other) {
           return terms_.excludes(condition.positive(), other);
         });
}

// Adds the terms that must have their place before this one; false if there are none.
bool PartitionGraph::needs(Term term, std::vector<Term>& pending) const {
  size_t before = pending.size();
  auto need = [&](Term part) {
    if (!is_placed(part)) pending.push_back(part);
  };
  if (terms_.kind(term) == PredicateTerms::Kind::Condition) {
    auto family = families_.find(family_key(terms_.condition(term)));
    if (family == families_.end()) return false;
    // Of its own, those before it: they must not need each other.
    bool is_member = lone_.contains(term.node());
    for (Term other : last(family->second.members)) {
      if (!is_member || other.node() < term.node()) need(other);
    }
  } else {
    auto [input, by] = as_split(term);
    need(term.is_negated() ? !input : input);
    if (!can_be_lone(by, input)) {
      need(term.is_negated() ? !by : by);
    } else if (term.is_negated()) {
      need(input);
    }
  }
  return pending.size() > before;
}

void PartitionGraph::place(Term term) {
  if (terms_.kind(term) == PredicateTerms::Kind::Condition) {
    place_condition(term);
  } else if (term.is_negated()) {
    place_either(term);
  } else {
    place_both(term);
  }
  symbols_[find(term).index()].is_placed = true;
}

// whole = part | (whole & !part).
void PartitionGraph::split(Symbol whole, Term part) {
  Term rest = terms_.both(term(whole), !part);
  if (rest == Term::never() || rest == term(whole)) return;
  uint32_t below = level(whole) + 1;
  add_partition(whole, std::array{intern(part, below), intern(rest, below)});
}

void PartitionGraph::place_condition(Term term) {
  split(root(), term);
  symbols_[find(!term).index()].is_placed = true;
  Family& family = families_[family_key(terms_.condition(term))];
  bool is_in_row = !family.is_lone && family.input == Term::always() && excludes_all(term, family);
  family.is_lone = false;
  if (family.members.empty() || is_in_row) return extend(family, Term::always(), term.positive());
  for (Term other : last(family.members)) {
    if (other != term.positive() && is_placed(other)) relate(term.positive(), other);
  }
  auto lone = lone_.find(term.node());
  if (lone == lone_.end()) {
    add_member(family, term.positive());
    return;
  }
  for (Term product : lone->second.products) {
    bool is_first = terms_.first(product).node() == term.node();
    split(find(is_first ? terms_.first(product) : terms_.second(product)), product);
  }
  lone_.erase(lone);
}

// Two conditions on the same values.
void PartitionGraph::relate(Term a, Term b) {
  if (!same_family(terms_.condition(a), terms_.condition(b))) return;
  for (Term x : {a, !a}) {
    for (Term y : {b, !b}) {
      // x and y exclude each other: each lies in what the other leaves.
      if (terms_.both(x, y) != Term::never()) continue;
      split(find(!y), x);
      return;
    }
  }
  Term common = terms_.both(a, b);
  split(find(a), common);
  split(find(b), common);
}

void PartitionGraph::place_both(Term term) {
  auto [input, by] = as_split(term);
  split(find(input), term);
  if (is_placed(by)) {
    split(find(by), term);
  } else {
    add_lone(by, input, term);
  }
  // Where the parts say nothing, as one includes the other without being known to.
  if (!find(term) || partitions_with(find(term)).empty()) split(root(), term);
}

void PartitionGraph::add_lone(Term condition, Term input, Term product) {
  auto [lone, is_new] = lone_.try_emplace(condition.node());
  lone->second.input = input;
  lone->second.products.push_back(product);
  if (!is_new) return;
  extend(families_[family_key(terms_.condition(condition))], input, condition.positive());
}

// Adds a condition that splits the family's input where those before it have left it.
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

void PartitionGraph::place_either(Term term) {
  auto [input, by] = as_split(term);
  Term one = !input, other = !by;
  if (!is_placed(by) && !is_placed(other)) {
    // !input | other is !input | (input & other), which are disjoint.
    split(root(), one);
    other = terms_.both(input, other);
    split(find(input), other);
    add_lone(by, input, other);
  }
  Symbol first = find(one), second = find(other);
  Symbol above = lowest_common_ancestor(first, second);
  if (above == first || above == second) above = root();
  if (!is_disjoint(first, second)) {
    Term common = terms_.both(this->term(first), this->term(second));
    Term rest = terms_.both(this->term(second), !this->term(first));
    split(second, rest);
    if (common != Term::never()) split(first, common);
    second = rest == Term::never() ? Symbol() : find(rest);
  }
  Symbol whole = intern(term, level(above) + 1);
  if (second) add_partition(whole, std::array{first, second});
  split(above, term);
  if (partitions_with(whole).empty()) split(root(), term);
}

void PartitionGraph::add_partition(Symbol whole, std::span<const Symbol> parts) {
  for (Symbol part : parts) {
    if (part == whole || (!partitions_of(part).empty() && may_be_above(part, whole))) return;
  }
  for (PartitionId p : symbols_[parts[0].index()].up) {
    std::span<const Symbol> known = this->parts(p);
    if (this->whole(p) == whole &&
        std::is_permutation(known.begin(), known.end(), parts.begin(), parts.end()))
      return;
  }
  PartitionId id = num_partitions();
  partitions_.push_back({whole, static_cast<uint32_t>(parts_.size()), static_cast<uint32_t>(parts.size())});
  parts_.insert(parts_.end(), parts.begin(), parts.end());
  symbols_[whole.index()].down.push_back(id);
  for (Symbol part : parts) {
    symbols_[part.index()].up.push_back(id);
    lower(part, level(whole) + 1);
  }
  is_fresh_ = false;
}

// Sets that are equal, though their terms are not, must not make a cycle.
bool PartitionGraph::may_be_above(Symbol p, Symbol q) const {
  if (q == root()) return false;
  bool is_complete = collect_above(q, above_q_, list_q_);
  return above_q_.contains(p) || !is_complete;
}

// A shorter way from the root was found.
void PartitionGraph::lower(Symbol s, uint32_t level) {
  if (symbols_[s.index()].level <= level) return;
  symbols_[s.index()].level = level;
  std::vector<Symbol> work{s};
  while (!work.empty()) {
    Symbol from = work.back();
    work.pop_back();
    for (PartitionId p : symbols_[from.index()].down) {
      for (Symbol part : parts(p)) {
        if (symbols_[part.index()].level <= this->level(from) + 1) continue;
        symbols_[part.index()].level = this->level(from) + 1;
        work.push_back(part);
      }
    }
  }
}

}  // namespace psi
