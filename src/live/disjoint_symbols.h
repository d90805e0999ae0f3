// All symbols known to be disjoint from a set, computed at once, for comparing one set with many others.
#pragma once

#include <vector>

#include "psi/predicate/algebra.h"

namespace psi::live {

class DisjointSymbols {
 public:
  // Selects the set, in the current graph. Linear in the graph, unless neither has changed.
  void compare_with(Symbol p, const PartitionGraph& graph);
  // As PredicateAlgebra::is_disjoint, but that in large graphs it looks for simpler reasons.
  bool is_disjoint_from(const PredicateExpr& e) const {
    return !p_ || !e.any_of([&](Symbol q) { return !disjoint_.contains(q); });
  }

 private:
  // As large as graphs are that know at once what is disjoint.
  static constexpr uint32_t kSmall = 64;

  void search(Symbol p, const PartitionGraph& graph);
  void add(Symbol q);

  Symbol p_;
  const PartitionGraph* graph_ = nullptr;
  uint32_t num_partitions_ = 0;
  SymbolSet disjoint_;
  std::vector<Symbol> above_, found_;
};

}  // namespace psi::live
