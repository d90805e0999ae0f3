// Dominance frontiers: the blocks where a block's dominance ends.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "psi/analysis/cfg.h"
#include "psi/analysis/dominators.h"
#include "psi/pass/analyses.h"

namespace psi {

// Block y is in the frontier of x if x dominates a predecessor of y, but does not strictly dominate y.
// Unreachable blocks, and edges from them, take no part.
class DominanceFrontiers {
 public:
  // Linear in the edges and in the result, which can be quadratic: a nest of n loops with exits at the bottom
  // has frontiers of n blocks each. See DjGraph and AugmentedTree for large functions.
  DominanceFrontiers(const Cfg& cfg, const Dominators& dominators);
  static constexpr Keeps kHoldsWith = Keeps::ControlFlow;
  DominanceFrontiers(const Function&, Analyses& analyses)
      : DominanceFrontiers(analyses.get<Cfg>(), analyses.get<Dominators>()) {}

  // Each block once, in preorder of the dominator tree. Empty for the entry and for unreachable blocks.
  std::span<const BlockId> of(BlockId b) const {
    return std::span(blocks_).subspan(start_[b.index()], start_[b.index() + 1] - start_[b.index()]);
  }
  // The sum of their sizes.
  uint64_t total_size() const { return blocks_.size(); }

 private:
  std::vector<uint64_t> start_;  // by BlockId, and one more
  std::vector<BlockId> blocks_;
};

}  // namespace psi
