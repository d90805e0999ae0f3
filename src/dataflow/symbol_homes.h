// Between which blocks a set of executions means the same.
//
// A term speaks of values, and a value that a loop defines is another one each time round. But an edge
// defines nothing: what is defined in blocks that strictly dominate its target is the same before and after
// it, in loops and irreducible graphs, too. All else an expression must lose on the way.
#pragma once

#include <vector>

#include "psi/analyses.h"
#include "psi/predicate_algebra.h"
#include "psi/predicates.h"

namespace psi::dataflow {

class SymbolHomes {
 public:
  // They may grow later.
  SymbolHomes(Analyses& analyses, const Predicates& predicates, const PartitionGraph& graph)
      : dominators_(analyses.dominators()), uses_(analyses.uses()), predicates_(predicates), graph_(graph) {}

  // The expression with nothing in it that is not the same on all edges to a block: larger sets instead, or
  // nothing.
  PredicateExpr at_most(const PredicateExpr& e, BlockId target, const PredicateAlgebra& algebra);
  PredicateExpr at_least(const PredicateExpr& e, BlockId target, const PredicateAlgebra& algebra);

 private:
  // The deepest block that defines a value of a term, if all that do lie on one way down the dominator tree.
  struct Home {
    BlockId block;  // none: no block defines any
    bool exists = true;
  };

  bool is_same(Symbol s, BlockId target);
  Symbol deepest_above(Symbol s, BlockId target);
  Home home(Term term);
  Home home_of_condition(const Condition& condition) const;
  Home home_of_value(ValueNumber number) const;
  Home deeper(Home a, Home b) const;

  const Dominators& dominators_;
  const Uses& uses_;
  const Predicates& predicates_;
  const PartitionGraph& graph_;
  std::vector<Home> homes_;  // by node of the terms, as far as they were needed
  std::vector<Symbol> above_;
};

}  // namespace psi::dataflow
