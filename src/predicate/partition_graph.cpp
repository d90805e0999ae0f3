// How terms become partitions.
//
// - A condition and its negation: 1 = c | !c. Conditions on the same values are related to each other
// (partition_families.cpp).
// - c & i: the input i is what the condition splits: i = (c & i) | (!c & i), as for an unconditional cmpp. A
//   condition gets a symbol, split likewise, once that is useful: if it is queried, splits a second input, or
//   is related to another condition.
// - j | k, as for a parallel or: if the two are disjoint, U = j | k, otherwise U = j | (k & !j); and the
// lowest
// set L that includes both is L = U | rest.
//
// The paper leaves nodes without a path from the root and completes the graph at the end; here every symbol
// has a path from the start.

#include "psi/predicate/partition_graph.h"

#include <algorithm>
#include <array>

namespace psi {

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

// The input is the operand that existed before: a predicate rather than a condition, a placed set rather than
// a new one, the older one.
PartitionGraph::Split PartitionGraph::as_split(Term both) const {
  Term first = terms_.first(both), second = terms_.second(both);
  auto rank = [&](Term part) {
    return terms_.kind(part) == PredicateTerms::Kind::Both ? 2 : is_placed(part) ? 1 : 0;
  };
  return rank(second) > rank(first) ? Split{second, first} : Split{first, second};
}

// Adds the terms that must be placed before this one; false if there are none.
bool PartitionGraph::needs(Term term, std::vector<Term>& pending) const {
  size_t before = pending.size();
  auto need = [&](Term part) {
    if (!is_placed(part)) pending.push_back(part);
  };
  if (terms_.kind(term) == PredicateTerms::Kind::Condition) {
    for (Term other : related_conditions(term)) need(other);
  } else {
    auto [input, by] = as_split(term);
    need(term.is_negated() ? !input : input);
    if (!can_be_single_split(by, input)) {
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

void PartitionGraph::place_both(Term term) {
  auto [input, by] = as_split(term);
  split(find(input), term);
  if (is_placed(by)) {
    split(find(by), term);
  } else {
    add_single_split(by, input, term);
  }
  // Where the parts prove nothing, as one includes the other but that is not known.
  if (!find(term) || partitions_with(find(term)).empty()) split(root(), term);
}

void PartitionGraph::place_either(Term term) {
  auto [input, by] = as_split(term);
  Term one = !input, other = !by;
  if (!is_placed(by) && !is_placed(other)) {
    // !input | other is !input | (input & other), which are disjoint.
    split(root(), one);
    other = terms_.both(input, other);
    split(find(input), other);
    add_single_split(by, input, other);
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

// Sets that are equal, though their terms differ, must not make a cycle.
bool PartitionGraph::may_be_above(Symbol p, Symbol q) const {
  if (q == root()) return false;
  start_query();
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
