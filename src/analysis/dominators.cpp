// The tree that the algorithms find, numbered by two sweeps over the search order; linear.

#include "psi/dominators.h"

#include "analysis/iterative_dominators.h"
#include "analysis/semi_nca.h"

namespace psi {

BlockTree::BlockTree(uint32_t num_nodes, std::span<const BlockId> order, std::span<const uint32_t> parents)
    : parent_(num_nodes), pre_(num_nodes), size_(num_nodes), level_(num_nodes), child_start_(num_nodes + 1) {
  uint32_t n = static_cast<uint32_t>(order.size());
  if (n == 0) return;

  // Parents come before their children: sizes come from a sweep downwards, then preorder numbers and levels
  // from one upwards.
  for (BlockId b : order) size_[b.index()] = 1;
  for (uint32_t v = n; v-- > 1;) size_[order[parents[v]].index()] += size_[order[v].index()];
  std::vector<uint32_t> next(num_nodes);
  next[order[0].index()] = 1;
  for (uint32_t v = 1; v < n; ++v) {
    BlockId b = order[v];
    BlockId up = order[parents[v]];
    parent_[b.index()] = up;
    level_[b.index()] = level_[up.index()] + 1;
    pre_[b.index()] = next[up.index()];
    next[up.index()] += size_[b.index()];
    next[b.index()] = pre_[b.index()] + 1;
    ++child_start_[up.index() + 1];
  }

  preorder_.resize(n);
  for (BlockId b : order) preorder_[pre_[b.index()]] = b;
  for (uint32_t i = 0; i < num_nodes; ++i) child_start_[i + 1] += child_start_[i];
  children_.resize(n - 1);
  next.assign(child_start_.begin(), child_start_.end() - 1);
  for (BlockId b : preorder_) {
    if (BlockId up = parent_[b.index()]) children_[next[up.index()]++] = b;
  }
}

Dominators::Dominators(const Cfg& cfg, DominatorAlgorithm algorithm) {
  analysis::ImmediateDominators found;
  if (cfg.entry()) {
    analysis::ForwardGraph graph(cfg);
    found = algorithm == DominatorAlgorithm::SemiNca ? semi_nca(graph) : iterative_dominators(graph);
  }
  tree_ = BlockTree(cfg.num_blocks(), found.nodes, found.idoms);
}

}  // namespace psi
