// Control dependence: which branches decide whether a block is executed.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "psi/analysis/cfg.h"
#include "psi/analysis/post_dominators.h"
#include "psi/pass/analyses.h"

namespace psi {

// Block b depends on the edge from a to s if b post-dominates s, but does not strictly post-dominate a: once
// the edge is taken b will be executed, and a has another successor. Leaving the function at a is an
// alternative, too, but not an edge. Unreachable blocks take no part.
class ControlDependence {
 public:
  // Linear in the edges and in the result, which can be quadratic: in a nest of n loops a block depends on
  // the back edge of every loop around it.
  ControlDependence(const Cfg& cfg, const PostDominators& post_dominators);
  static constexpr Keeps kHoldsWith = Keeps::ControlFlow;
  ControlDependence(const Function&, Analyses& analyses)
      : ControlDependence(analyses.get<Cfg>(), analyses.get<PostDominators>()) {}

  // Each edge once, by the number of the block that it leaves and its index there.
  std::span<const Edge> of(BlockId b) const {
    return std::span(edges_).subspan(start_[b.index()], start_[b.index() + 1] - start_[b.index()]);
  }
  // The sum of their sizes.
  uint64_t total_size() const { return edges_.size(); }

  // The inverse, without a table: calls visit(BlockId) for each block that depends on the edge, its target
  // first, then up the post-dominator tree.
  template <class Visit>
  static void for_each_dependent(const Cfg& cfg, const PostDominators& post_dominators, Edge edge,
                                 Visit visit) {
    if (!post_dominators.is_connected(edge.from)) return;
    BlockId stop = post_dominators.ipdom(edge.from);
    for (BlockId b = cfg.target(edge); b != stop; b = post_dominators.ipdom(b)) visit(b);
  }

 private:
  std::vector<uint64_t> start_;  // by BlockId, and one more
  std::vector<Edge> edges_;
};

}  // namespace psi
