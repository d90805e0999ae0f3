// The augmented dominator tree: dominance frontiers stored at some blocks only, few enough for linear space
// and enough to find any frontier in time proportional to its size.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "psi/analysis/cfg.h"
#include "psi/analysis/dominators.h"
#include "psi/pass/analyses.h"

namespace psi {

class AugmentedTree {
 public:
  // The most blocks that a search may visit per block of the frontier. Smaller values store more lists (0:
  // the frontier of every block), larger ones fewer (infinity: only those of leaves).
  static constexpr double kDefaultBeta = 1;

  // Near-linear in the size of the graph for any constant beta above 0.
  AugmentedTree(const Cfg& cfg, const Dominators& dominators, double beta = kDefaultBeta);
  static constexpr Keeps kHoldsWith = Keeps::ControlFlow;
  // With the default beta.
  AugmentedTree(const Function&, Analyses& analyses)
      : AugmentedTree(analyses.get<Cfg>(), analyses.get<Dominators>()) {}

  // Is the frontier of b stored at b? A search for the frontier of a block above stops at b.
  bool is_boundary(BlockId b) const { return boundary_[b.index()]; }
  // At a boundary block its dominance frontier; at an interior one the targets of its own edges that are in
  // it. Sorted by the level of the target's immediate dominator, so that the frontier of a block above is a
  // prefix.
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
