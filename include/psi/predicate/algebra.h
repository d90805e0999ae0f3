// Predicate expressions in 1-disjunctive normal form: sets of executions as unions of symbols (Johnson and
// Schlansker 1996, section 5).
#pragma once

#include "psi/predicate/symbol_set.h"

namespace psi {

// An expression is reduced if none of its symbols is known to be contained in another, and it has not all
// parts of any partition. Results are reduced if the arguments are.
using PredicateExpr = SymbolSet;

// `lub` results may be too large and never too small, `glb` results too small and never too large.
// is_disjoint and is_subset may be false where they could be true, never the reverse.
class PredicateAlgebra {
 public:
  explicit PredicateAlgebra(PartitionGraph& graph) : graph_(graph) {}

  static PredicateExpr false_expr() { return {}; }
  static PredicateExpr true_expr() { return expr(PartitionGraph::root()); }
  // Of a symbol; no symbol: the empty set.
  static PredicateExpr expr(Symbol s) {
    PredicateExpr result;
    if (s) result.insert(s);
    return result;
  }

  // Sums are exact.
  PredicateExpr lub_sum(Symbol p, const PredicateExpr& e) const;
  PredicateExpr glb_sum(Symbol p, const PredicateExpr& e) const { return lub_sum(p, e); }
  PredicateExpr lub_sum(const PredicateExpr& e, const PredicateExpr& f) const;
  PredicateExpr lub_diff(const PredicateExpr& e, Symbol p) const;
  PredicateExpr glb_diff(const PredicateExpr& e, Symbol p) const;
  bool is_disjoint(Symbol p, const PredicateExpr& e) const;
  bool is_subset(Symbol p, const PredicateExpr& e) const;

 private:
  void add(Symbol p, PredicateExpr& e) const;

  PartitionGraph& graph_;
};

}  // namespace psi
