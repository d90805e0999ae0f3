#include "live/flow_edges.h"

#include "psi/analysis/cfg.h"

namespace psi::live {
namespace {

// The condition of a switch's default is as long as the list of cases. Longer ones are ignored.
constexpr size_t kMaxEdges = 16;

}  // namespace

void FlowEdges::make_symbols(BlockId b) {
  if (cfg_.successors(b).size() > kMaxEdges) return;
  predicate::collect_edge_terms(b, *symbols_.predicates(), terms_);
  for (uint32_t i = 0; i < terms_.size(); ++i) {
    not_taken_[cfg_.number({b, i})] = symbols_.at_least(!terms_[i].term);
  }
}

// Where a set and the condition are unrelated, both include their intersection. The set is kept: the
// condition is more likely to be lost later.
PredicateExpr FlowEdges::cut(const PredicateExpr& e, Edge edge) const {
  const PartitionGraph& graph = symbols_.graph();
  Symbol outside = not_taken_[cfg_.number(edge)];
  if (!outside) return e;
  PredicateExpr result;
  e.for_each([&](Symbol s) {
    if (graph.is_subset(s, outside)) return;
    PredicateExpr one = PredicateAlgebra::expr(s);
    if (graph.is_subset(outside, s)) one = symbols_.algebra().lub_diff(one, outside);
    result = symbols_.algebra().lub_sum(one, result);
  });
  return result;
}

PredicateExpr FlowEdges::taken(BlockId from, BlockId to) const {
  PredicateExpr result;
  std::span<const BlockId> targets = cfg_.successors(from);
  for (uint32_t i = 0; i < targets.size(); ++i) {
    if (targets[i] != to) continue;
    result = symbols_.algebra().lub_sum(result, cut(PredicateAlgebra::true_expr(), {from, i}));
  }
  return result;
}

}  // namespace psi::live
