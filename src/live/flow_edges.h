// Flow along edges: executions that leave a block by an edge satisfy its condition.
#pragma once

#include <vector>

#include "live/flow_symbols.h"
#include "predicate/edge_terms.h"
#include "psi/analysis/cfg.h"

namespace psi::live {

class FlowEdges {
 public:
  // SSA forms.
  FlowEdges(const Cfg& cfg, FlowSymbols& symbols)
      : cfg_(cfg), symbols_(symbols), not_taken_(cfg.num_edges()) {}

  // To be called for each block once.
  void make_symbols(BlockId b);

  // The set restricted to executions that take the edge.
  PredicateExpr cut(const PredicateExpr& e, Edge edge) const;
  // Where control goes from one block to another.
  PredicateExpr taken(BlockId from, BlockId to) const;

 private:
  const Cfg& cfg_;
  FlowSymbols& symbols_;
  std::vector<Symbol> not_taken_;  // by number of the edge: where it surely is not
  std::vector<predicate::EdgeTerm> terms_;
};

}  // namespace psi::live
