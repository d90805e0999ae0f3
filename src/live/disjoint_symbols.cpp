#include "live/disjoint_symbols.h"

namespace psi::live {

void DisjointSymbols::compare_with(Symbol p, const PartitionGraph& graph) {
  if (p == p_ && graph_ == &graph && num_partitions_ == graph.num_partitions()) return;
  p_ = p;
  graph_ = &graph;
  num_partitions_ = graph.num_partitions();
  disjoint_ = SymbolSet();
  if (!p) return;
  if (graph.num_symbols() <= kSmall) {
    for (Symbol q(0); q.index() < graph.num_symbols(); q = Symbol(q.index() + 1)) {
      if (graph.is_disjoint(p, q)) disjoint_.insert(q);
    }
  } else {
    search(p, graph);
  }
}

// The siblings in partitions of the set or of sets that contain it; then the sets contained in those found,
// and unions of those.
void DisjointSymbols::search(Symbol p, const PartitionGraph& graph) {
  found_.clear();
  above_.assign(1, p);
  SymbolSet is_above = PredicateAlgebra::expr(p);
  for (size_t i = 0; i < above_.size(); ++i) {
    for (PartitionGraph::PartitionId id : graph.partitions_with(above_[i])) {
      for (Symbol part : graph.parts(id)) {
        if (part != above_[i]) add(part);
      }
      if (is_above.contains(graph.whole(id))) continue;
      is_above.insert(graph.whole(id));
      above_.push_back(graph.whole(id));
    }
  }
  for (size_t i = 0; i < found_.size(); ++i) {
    for (PartitionGraph::PartitionId id : graph.partitions_of(found_[i])) {
      for (Symbol part : graph.parts(id)) add(part);
    }
    for (PartitionGraph::PartitionId id : graph.partitions_with(found_[i])) {
      bool all = true;
      for (Symbol part : graph.parts(id)) all = all && disjoint_.contains(part);
      if (all) add(graph.whole(id));
    }
  }
}

void DisjointSymbols::add(Symbol q) {
  if (disjoint_.contains(q)) return;
  disjoint_.insert(q);
  found_.push_back(q);
}

}  // namespace psi::live
