// The tree that the algorithms find, numbered by two sweeps over the search order; linear.

#include "psi/analysis/dominators.h"

#include "analysis/iterative_dominators.h"
#include "analysis/semi_nca.h"
#include "psi/analysis/cfg.h"
#include "support/scratch.h"

namespace psi {

BlockTree::BlockTree(uint32_t num_nodes, std::span<const BlockId> order, std::span<const uint32_t> parents)
    : nodes_(num_nodes + 1) {
  uint32_t n = static_cast<uint32_t>(order.size());
  if (n == 0) return;

  // Parents come before their children: sizes come from a sweep downwards, then preorder numbers and levels
  // from one upwards.
  for (BlockId b : order) node(b).size = 1;
  for (uint32_t v = n; v-- > 1;) node(order[parents[v]]).size += node(order[v]).size;
  Scratch scratch;
  std::pmr::vector<uint32_t> next(num_nodes, &scratch);
  next[order[0].index()] = 1;
  for (uint32_t v = 1; v < n; ++v) {
    BlockId b = order[v];
    BlockId up = order[parents[v]];
    Node& here = node(b);
    here.parent = up;
    here.level = node(up).level + 1;
    here.pre = next[up.index()];
    next[up.index()] += here.size;
    next[b.index()] = here.pre + 1;
    ++nodes_[up.index() + 1].first_child;
  }

  preorder_.resize(n);
  for (BlockId b : order) preorder_[node(b).pre] = b;
  for (uint32_t i = 0; i < num_nodes; ++i) {
    next[i] = nodes_[i].first_child;
    nodes_[i + 1].first_child += nodes_[i].first_child;
  }
  children_.resize(n - 1);
  for (BlockId b : preorder_) {
    if (BlockId up = node(b).parent) children_[next[up.index()]++] = b;
  }
}

Dominators::Dominators(const Cfg& cfg, DominatorAlgorithm algorithm) {
  if (!cfg.entry()) {
    tree_ = BlockTree(cfg.num_blocks(), {}, {});
    return;
  }
  Scratch scratch;
  analysis::ForwardGraph graph(cfg);
  analysis::ImmediateDominators found = algorithm == DominatorAlgorithm::SemiNca
                                            ? semi_nca(graph, scratch)
                                            : iterative_dominators(graph, scratch);
  tree_ = BlockTree(cfg.num_blocks(), found.nodes, found.idoms);
}

}  // namespace psi
