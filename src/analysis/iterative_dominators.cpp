// Cooper, Harvey and Kennedy, "A Simple, Fast Dominance Algorithm" (2001): the immediate dominator of a block
// is where the paths up the tree from its predecessors meet; repeat in reverse post-order until nothing
// changes.
//
// Quadratic in the worst case. A reducible graph takes two iterations, but each intersection walks up the
// tree, so deep trees with long edges are slow.

#include "analysis/iterative_dominators.h"

#include <utility>

namespace psi::analysis {

ImmediateDominators iterative_dominators(const ForwardGraph& graph, std::pmr::memory_resource& memory) {
  std::vector<uint32_t> post_order;  // preorder numbers
  DepthFirst search =
      search_depth_first(graph, memory, [&](uint32_t number) { post_order.push_back(number); });
  uint32_t n = static_cast<uint32_t>(search.nodes.size());
  std::vector<uint32_t> post(n);  // by preorder number
  for (uint32_t i = 0; i < n; ++i) post[post_order[i]] = i;

  // All by post-order number, in which a dominator is above what it dominates.
  std::vector<uint32_t> idom(n, kUnseen);
  uint32_t root = n - 1;
  idom[root] = root;
  auto meet = [&](uint32_t a, uint32_t b) {
    while (a != b) {
      while (a < b) a = idom[a];
      while (b < a) b = idom[b];
    }
    return a;
  };
  for (bool changed = true; changed;) {
    changed = false;
    for (uint32_t b = root; b-- > 0;) {
      uint32_t found = kUnseen;
      graph.for_each_predecessor(search.nodes[post_order[b]], [&](BlockId block) {
        uint32_t number = search.numbers[block.index()];
        if (number == kUnseen || idom[post[number]] == kUnseen) return;
        found = found == kUnseen ? post[number] : meet(found, post[number]);
      });
      if (idom[b] == found) continue;
      idom[b] = found;
      changed = true;
    }
  }

  for (uint32_t b = 0; b < n; ++b) search.parents[post_order[b]] = post_order[idom[b]];
  return {std::move(search.nodes), std::move(search.parents)};
}

}  // namespace psi::analysis
