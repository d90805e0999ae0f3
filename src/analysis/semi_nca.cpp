// Semi-NCA: Georgiadis, "Linear-Time Algorithms for Dominators and Related Problems" (2005), section 2.3.
// Semidominators are found as in Lengauer and Tarjan's simple algorithm; the immediate dominator is then the
// nearest ancestor, in the tree built so far, that is not below the semidominator. Path compression has its
// own stack, so nothing here recurses.
//
// O(m log n) for the semidominators. The walks up the tree are quadratic in theory; on control flow graphs
// they are short.

#include "analysis/semi_nca.h"

#include <utility>

namespace psi::analysis {
namespace {

// All arrays are indexed by depth-first number, which keeps the walks within few cache lines.
template <class Graph>
class SemiNca {
 public:
  SemiNca(const Graph& graph, std::pmr::memory_resource& memory)
      : graph_(graph),
        search_(search_depth_first(graph, memory)),
        ancestor_(search_.parents, &memory),
        semi_(size(), &memory),
        label_(size(), &memory),
        stack_(&memory) {}

  ImmediateDominators run() {
    find_semidominators();
    find_idoms();
    return {std::move(search_.nodes), std::move(search_.parents)};
  }

 private:
  uint32_t size() const { return static_cast<uint32_t>(search_.nodes.size()); }

  void find_semidominators() {
    for (uint32_t i = 0; i < size(); ++i) semi_[i] = label_[i] = i;
    for (uint32_t w = size(); w-- > 1;) {
      uint32_t semi = ancestor_[w];
      graph_.for_each_predecessor(search_.nodes[w], [&](BlockId p) {
        uint32_t v = search_.numbers[p.index()];
        if (v == kUnseen) return;
        uint32_t candidate = semi_[evaluate(v, w + 1)];
        if (candidate < semi) semi = candidate;
      });
      semi_[w] = semi;
    }
  }

  // The node of least semidominator on the way from v up to, but without, the root of its tree in the
  // forest of the nodes numbered `linked` and above.
  uint32_t evaluate(uint32_t v, uint32_t linked) {
    if (ancestor_[v] < linked) return label_[v];
    stack_.clear();
    do {
      stack_.push_back(v);
      v = ancestor_[v];
    } while (ancestor_[v] >= linked);
    uint32_t above = v;
    while (!stack_.empty()) {
      v = stack_.back();
      stack_.pop_back();
      ancestor_[v] = ancestor_[above];
      if (semi_[label_[above]] < semi_[label_[v]]) label_[v] = label_[above];
      above = v;
    }
    return label_[v];
  }

  // Turns the parents of the search, from the root downwards, into immediate dominators.
  void find_idoms() {
    std::pmr::vector<uint32_t>& idom = search_.parents;
    for (uint32_t w = 1; w < size(); ++w) {
      uint32_t candidate = idom[w];
      while (candidate > semi_[w]) candidate = idom[candidate];
      idom[w] = candidate;
    }
  }

  const Graph& graph_;
  DepthFirst search_;
  std::pmr::vector<uint32_t> ancestor_;
  std::pmr::vector<uint32_t> semi_;
  std::pmr::vector<uint32_t> label_;
  std::pmr::vector<uint32_t> stack_;
};

}  // namespace

ImmediateDominators semi_nca(const ForwardGraph& graph, std::pmr::memory_resource& memory) {
  return SemiNca(graph, memory).run();
}
ImmediateDominators semi_nca(const ReversedGraph& graph, std::pmr::memory_resource& memory) {
  return SemiNca(graph, memory).run();
}

}  // namespace psi::analysis
