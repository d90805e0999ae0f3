// What flows along edges: executions that leave a block by an edge satisfy its condition.
#pragma once

#include <vector>

#include "dataflow/predicate_context.h"
#include "predicate/edge_terms.h"
#include "psi/cfg.h"

namespace psi::dataflow {

class FlowEdges {
 public:
  // SSA forms.
  FlowEdges(const Function& function, const Cfg& cfg, PredicateContext& context)
      : function_(function), cfg_(cfg), context_(context), not_taken_(cfg.num_edges()) {}

  // To be called for each block once.
  void make_symbols(BlockId b);

  // What holds on one side of the edge, without executions that do not take it.
  PredicateExpr cut(const PredicateExpr& e, Edge edge) const;
  // Where control goes from one block to another.
  PredicateExpr taken(BlockId from, BlockId to) const;

 private:
  const Function& function_;
  const Cfg& cfg_;
  PredicateContext& context_;
  std::vector<Symbol> not_taken_;  // by number of the edge: where it surely is not
  std::vector<predicate::EdgeTerm> terms_;
};

}  // namespace psi::dataflow
