#include "live/symbol_scopes.h"

#include <algorithm>

namespace psi::live {

PredicateExpr SymbolScopes::at_most(const PredicateExpr& e, BlockId target, const PredicateAlgebra& algebra) {
  if (!e.any_of([&](Symbol s) { return !is_same(s, target); })) return e;
  PredicateExpr result;
  e.for_each([&](Symbol s) { result = algebra.lub_sum(deepest_above(s, target), result); });
  return result;
}

PredicateExpr SymbolScopes::at_least(const PredicateExpr& e, BlockId target,
                                     const PredicateAlgebra& algebra) {
  if (!e.any_of([&](Symbol s) { return !is_same(s, target); })) return e;
  PredicateExpr result;
  e.for_each([&](Symbol s) {
    if (is_same(s, target)) result = algebra.lub_sum(s, result);
  });
  return result;
}

bool SymbolScopes::is_same(Symbol s, BlockId target) {
  if (s == PartitionGraph::root()) return true;
  Scope h = scope(graph_.term(s));
  return h.exists && (!h.block || dominators_.strictly_dominates(h.block, target));
}

// The root is always the same.
Symbol SymbolScopes::deepest_above(Symbol s, BlockId target) {
  Symbol best = PartitionGraph::root();
  above_.assign(1, s);
  for (size_t i = 0; i < above_.size(); ++i) {
    Symbol at = above_[i];
    if (is_same(at, target)) {
      if (graph_.level(at) > graph_.level(best)) best = at;
      continue;
    }
    for (PartitionGraph::PartitionId p : graph_.partitions_with(at)) {
      if (std::ranges::find(above_, graph_.whole(p)) == above_.end()) above_.push_back(graph_.whole(p));
    }
  }
  return best;
}

// Parts of a term are older than the term.
SymbolScopes::Scope SymbolScopes::scope(Term term) {
  const PredicateTerms& terms = predicates_.terms();
  while (scopes_.size() <= term.node()) {
    Term next = Term::of_node(static_cast<uint32_t>(scopes_.size()));
    Scope scope;
    if (terms.kind(next) == PredicateTerms::Kind::Condition) {
      scope = scope_of_condition(terms.condition(next));
    } else if (terms.kind(next) == PredicateTerms::Kind::Both) {
      scope = deeper(scopes_[terms.first(next).node()], scopes_[terms.second(next).node()]);
    }
    scopes_.push_back(scope);
  }
  return scopes_[term.node()];
}

SymbolScopes::Scope SymbolScopes::scope_of_condition(const Condition& condition) const {
  Scope left = scope_of_value(condition.left);
  return condition.kind == Condition::Kind::Pair ? deeper(left, scope_of_value(condition.right)) : left;
}

SymbolScopes::Scope SymbolScopes::scope_of_value(ValueNumber number) const {
  Operand operand = predicates_.numbered_value(number).operand;
  if (operand.is_undef()) return {BlockId(), false};
  if (!operand.is_reg()) return {};
  InstId definition = uses_.definition(operand.reg());
  return {definition ? uses_.block(definition) : BlockId()};
}

SymbolScopes::Scope SymbolScopes::deeper(Scope a, Scope b) const {
  if (!a.exists || !b.exists) return {BlockId(), false};
  if (!a.block) return b;
  if (!b.block) return a;
  if (dominators_.dominates(a.block, b.block)) return b;
  if (dominators_.dominates(b.block, a.block)) return a;
  return {BlockId(), false};
}

}  // namespace psi::live
