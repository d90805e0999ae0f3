// Bilardi and Pingali, "Algorithms for Computing the Static Single Assignment Form" (2003), section 4.
//
// The tree is divided into zones. A block is a boundary, below which no search goes, if it is a leaf or if
// its zone would grow beyond beta times the size of its frontier. An edge belongs to the frontiers of its
// source and of the blocks above it, below the immediate dominator of its target.
//
// The paper counts a frontier in edges. Where many edges lead to one block, as from many tests to one exit,
// zones would be as large as the function, for frontiers of one block. So a zone has a second limit, in
// blocks of the frontier. To count a target once, the paths up from its sources are split where they meet: at
// the common ancestors of sources adjacent in preorder.

#include "psi/analysis/augmented_tree.h"

#include <algorithm>

#include "analysis/common_ancestor.h"
#include "psi/analysis/cfg.h"
#include "psi/analysis/dominators.h"
#include "support/scratch.h"

namespace psi {
namespace {

// How many times larger than its frontier, in blocks, a zone may be because of its edges.
constexpr double kWide = 4;

struct JoinEdge {
  BlockId from;
  BlockId to;
};

// The edges x -> y where x does not strictly dominate y, sorted by the level of y's immediate dominator, so
// that lists made in this order are sorted, then by y, then by x in preorder.
std::pmr::vector<JoinEdge> join_edges(const Cfg& cfg, const Dominators& dominators,
                                      std::pmr::memory_resource& memory) {
  std::span<const BlockId> preorder = dominators.preorder();
  std::pmr::vector<uint32_t> next(preorder.size() + 1, &memory);
  for (BlockId b : preorder) ++next[dominators.level(b) + 1];
  for (size_t i = 1; i < next.size(); ++i) next[i] += next[i - 1];
  std::pmr::vector<BlockId> by_level(preorder.size(), &memory);
  for (BlockId b : preorder) by_level[next[dominators.level(b)]++] = b;

  std::pmr::vector<JoinEdge> edges(&memory);
  for (BlockId to : by_level) {
    size_t first = edges.size();
    cfg.for_each_distinct_predecessor(to, [&](BlockId from) {
      if (dominators.is_reachable(from) && !dominators.strictly_dominates(from, to)) {
        edges.push_back({from, to});
      }
    });
    std::sort(edges.begin() + static_cast<ptrdiff_t>(first), edges.end(), [&](JoinEdge a, JoinEdge b) {
      return dominators.pre_number(a.from) < dominators.pre_number(b.from);
    });
  }
  return edges;
}

}  // namespace

AugmentedTree::AugmentedTree(const Cfg& cfg, const Dominators& dominators, double beta)
    : boundary_(cfg.num_blocks()), start_(cfg.num_blocks() + 1) {
  const uint32_t num_blocks = cfg.num_blocks();
  std::span<const BlockId> preorder = dominators.preorder();
  Scratch scratch;
  std::pmr::vector<JoinEdge> edges = join_edges(cfg, dominators, scratch);

  // Bottom-up: frontier sizes and zones.
  std::pmr::vector<int64_t> frontier_edges(num_blocks, &scratch), frontier_blocks(num_blocks, &scratch);
  std::pmr::vector<uint64_t> zone(num_blocks, &scratch);
  analysis::CommonAncestor common_ancestor(dominators, scratch);
  for (size_t i = 0; i < edges.size(); ++i) {
    BlockId idom = dominators.idom(edges[i].to);
    bool is_first = i == 0 || edges[i - 1].to != edges[i].to;
    BlockId met = is_first ? idom : common_ancestor(edges[i - 1].from, edges[i].from);
    ++frontier_edges[edges[i].from.index()];
    --frontier_edges[idom.index()];
    ++frontier_blocks[edges[i].from.index()];
    --frontier_blocks[met.index()];
  }
  for (size_t i = preorder.size(); i-- > 0;) {
    BlockId b = preorder[i];
    double size = static_cast<double>(1 + zone[b.index()]);
    double edge_limit = beta * static_cast<double>(frontier_edges[b.index()]) + 1;
    double block_limit = kWide * (beta * static_cast<double>(frontier_blocks[b.index()]) + 1);
    boundary_[b.index()] = dominators.children(b).empty() || size > edge_limit || size > block_limit;
    if (BlockId up = dominators.idom(b)) {
      zone[up.index()] += boundary_[b.index()] ? 1 : 1 + zone[b.index()];
      frontier_edges[up.index()] += frontier_edges[b.index()];
      frontier_blocks[up.index()] += frontier_blocks[b.index()];
    }
  }
  // Top-down: the nearest boundary block above each block.
  std::pmr::vector<BlockId> next_boundary(num_blocks, &scratch);
  for (BlockId b : preorder) {
    BlockId up = dominators.idom(b);
    if (up) next_boundary[b.index()] = boundary_[up.index()] ? up : next_boundary[up.index()];
  }

  // An edge is in the list of its source and of every boundary block above that does not strictly dominate
  // the target. The first pass counts, the second fills.
  std::pmr::vector<BlockId> last(num_blocks, &scratch);  // in each list
  auto for_each_entry = [&](auto visit) {
    std::fill(last.begin(), last.end(), BlockId());
    for (JoinEdge edge : edges) {
      uint32_t limit = dominators.level(dominators.idom(edge.to));
      for (BlockId b = edge.from; b && dominators.level(b) > limit; b = next_boundary[b.index()]) {
        // Another edge to the same block has passed here on its way up.
        if (last[b.index()] == edge.to) break;
        last[b.index()] = edge.to;
        visit(b, edge.to);
      }
    }
  };
  for_each_entry([&](BlockId b, BlockId) { ++start_[b.index() + 1]; });
  for (uint32_t i = 0; i < num_blocks; ++i) start_[i + 1] += start_[i];
  targets_.resize(start_[num_blocks]);
  std::pmr::vector<uint64_t> next(start_.begin(), start_.end() - 1, &scratch);
  for_each_entry([&](BlockId b, BlockId to) { targets_[next[b.index()]++] = to; });
}

}  // namespace psi
