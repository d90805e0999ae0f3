// Bilardi and Pingali, "Algorithms for Computing the Static Single Assignment Form" (2003), section 4.
//
// The tree is cut into zones. A block is a boundary, and the top of a zone below which no search goes, if it
// is a leaf or if its zone would grow beyond beta times the size of its frontier. Sizes are counted in edges,
// as the paper does; of edges with the same target a list keeps one. An edge belongs to the frontiers of its
// source and of the blocks above it, up to, but without, the immediate dominator of its target.

#include "psi/augmented_tree.h"

#include <algorithm>

namespace psi {
namespace {

struct JoinEdge {
  BlockId from;
  BlockId to;
};

// The edges x -> y where x does not strictly dominate y, sorted by the level of y's immediate dominator, so
// that lists made in this order are sorted, and by y, so that an edge to the same block is the next one.
std::vector<JoinEdge> join_edges(const Cfg& cfg, const Dominators& dominators) {
  std::span<const BlockId> preorder = dominators.preorder();
  std::vector<uint32_t> next(preorder.size() + 1);
  for (BlockId b : preorder) ++next[dominators.level(b) + 1];
  for (size_t i = 1; i < next.size(); ++i) next[i] += next[i - 1];
  std::vector<BlockId> by_level(preorder.size());
  for (BlockId b : preorder) by_level[next[dominators.level(b)]++] = b;

  std::vector<JoinEdge> edges;
  for (BlockId to : by_level) {
    cfg.for_each_distinct_predecessor(to, [&](BlockId from) {
      if (dominators.is_reachable(from) && !dominators.strictly_dominates(from, to)) {
        edges.push_back({from, to});
      }
    });
  }
  return edges;
}

}  // namespace

AugmentedTree::AugmentedTree(const Cfg& cfg, const Dominators& dominators, double beta)
    : boundary_(cfg.num_blocks()), start_(cfg.num_blocks() + 1) {
  const uint32_t num_blocks = cfg.num_blocks();
  std::span<const BlockId> preorder = dominators.preorder();
  std::vector<JoinEdge> edges = join_edges(cfg, dominators);

  // Bottom-up: frontier sizes and zones.
  std::vector<int64_t> frontier(num_blocks);
  std::vector<uint64_t> zone(num_blocks);
  for (JoinEdge edge : edges) {
    ++frontier[edge.from.index()];
    --frontier[dominators.idom(edge.to).index()];
  }
  for (size_t i = preorder.size(); i-- > 0;) {
    BlockId b = preorder[i];
    uint64_t size = 1 + zone[b.index()];
    boundary_[b.index()] = dominators.children(b).empty() ||
                           static_cast<double>(size) > beta * static_cast<double>(frontier[b.index()]) + 1;
    if (BlockId up = dominators.idom(b)) {
      zone[up.index()] += boundary_[b.index()] ? 1 : size;
      frontier[up.index()] += frontier[b.index()];
    }
  }
  // Top-down: the nearest boundary block above each block.
  std::vector<BlockId> next_boundary(num_blocks);
  for (BlockId b : preorder) {
    BlockId up = dominators.idom(b);
    if (up) next_boundary[b.index()] = boundary_[up.index()] ? up : next_boundary[up.index()];
  }

  // An edge is in the list of its source and of every boundary block above, as long as that does not strictly
  // dominate the target. A first round counts, a second one fills.
  std::vector<BlockId> last(num_blocks);  // in each list
  auto for_each_entry = [&](auto visit) {
    std::fill(last.begin(), last.end(), BlockId());
    for (JoinEdge edge : edges) {
      uint32_t limit = dominators.level(dominators.idom(edge.to));
      for (BlockId b = edge.from; b && dominators.level(b) > limit; b = next_boundary[b.index()]) {
        if (last[b.index()] == edge.to) continue;
        last[b.index()] = edge.to;
        visit(b, edge.to);
      }
    }
  };
  for_each_entry([&](BlockId b, BlockId) { ++start_[b.index() + 1]; });
  for (uint32_t i = 0; i < num_blocks; ++i) start_[i + 1] += start_[i];
  targets_.resize(start_[num_blocks]);
  std::vector<uint64_t> next(start_.begin(), start_.end() - 1);
  for_each_entry([&](BlockId b, BlockId to) { targets_[next[b.index()]++] = to; });
}

}  // namespace psi
