// The augmented dominator tree: dominance frontiers kept at some blocks only, few enough to need linear room
// and many enough to find any frontier in time in proportion to its size.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "psi/cfg.h"
#include "psi/dominators.h"

namespace psi {

class AugmentedTree {
 public:
  // How many blocks a search may visit for each block of the frontier that it looks for. Smaller values keep
  // more lists (0: the frontier of every block), larger ones fewer (infinity: only those of leaves).
  static constexpr double kDefaultBeta = 1;

  // Near-linear in the size of the graph for any constant beta above 0.
  AugmentedTree(const Cfg& cfg, const Dominators& dominators, double beta = kDefaultBeta);

  // Is the frontier of b kept with b? A search for the frontier of a block above stops at b.
  bool is_boundary(BlockId b) const { return boundary_[b.index()]; }
  // At a boundary block its dominance frontier; at an interior one the targets of its own edges that
  // are in it. Sorted by the level of the target's immediate dominator, so that what is in the frontier of a
  // block above comes first.
  std::span<const BlockId> list(BlockId b) const {
    return std::span(targets_).subspan(start_[b.index()], start_[b.index() + 1] - start_[b.index()]);
  }
  uint64_t size() const { return targets_.size(); }

 private:
  std::vector<bool> boundary_;   // by BlockId
  std::vector<uint64_t> start_;  // by BlockId, and one more
  std::vector<BlockId> targets_;
};

}  // namespace psi
