// The blocks between which a set of executions keeps its meaning.
//
// Terms refer to values, and a value defined in a loop differs in each iteration. But an edge defines
// nothing: values of blocks that strictly dominate its target are the same before and after it, in loops and
// irreducible graphs, too. All others must be dropped from an expression along the edge.
#pragma once

#include <vector>

#include "psi/analysis/dominators.h"
#include "psi/analysis/uses.h"
#include "psi/pass/analyses.h"
#include "psi/predicate/algebra.h"
#include "psi/predicate/predicates.h"

namespace psi::live {

class SymbolScopes {
 public:
  // They may grow later.
  SymbolScopes(Analyses& analyses, const Predicates& predicates, const PartitionGraph& graph)
      : dominators_(analyses.get<Dominators>()),
        uses_(analyses.get<Uses>()),
        predicates_(predicates),
        graph_(graph) {}

  // The expression without symbols that differ between the edges to a block: larger sets instead, or nothing.
  PredicateExpr at_most(const PredicateExpr& e, BlockId target, const PredicateAlgebra& algebra);
  PredicateExpr at_least(const PredicateExpr& e, BlockId target, const PredicateAlgebra& algebra);

 private:
  // The deepest block that defines a value of a term, if all such blocks are on one path down the dominator
  // tree.
  struct Scope {
    BlockId block;  // none: no block defines any
    bool exists = true;
  };

  bool is_same(Symbol s, BlockId target);
  Symbol deepest_above(Symbol s, BlockId target);
  Scope scope(Term term);
  Scope scope_of_condition(const Condition& condition) const;
  Scope scope_of_value(ValueNumber number) const;
  Scope deeper(Scope a, Scope b) const;

  const Dominators& dominators_;
  const Uses& uses_;
  const Predicates& predicates_;
  const PartitionGraph& graph_;
  std::vector<Scope> scopes_;  // by node of the terms, as far as they were needed
  std::vector<Symbol> above_;
};

}  // namespace psi::live
