// The DJ-graph: the dominator tree together with the edges of the control flow graph at which paths join.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "psi/analysis/cfg.h"
#include "psi/analysis/dominators.h"
#include "psi/pass/analyses.h"

namespace psi {

// D-edges are those of the tree (Dominators::children). A J-edge is an edge x -> y of the control flow graph
// where x does not strictly dominate y. Linear.
class DjGraph {
 public:
  DjGraph(const Cfg& cfg, const Dominators& dominators);
  static constexpr Keeps kHoldsWith = Keeps::ControlFlow;
  DjGraph(const Function&, Analyses& analyses) : DjGraph(analyses.get<Cfg>(), analyses.get<Dominators>()) {}

  // The targets of the J-edges of b, each once, in the order of its terminators. Empty for unreachable
  // blocks.
  std::span<const BlockId> join_edges(BlockId b) const {
    return std::span(targets_).subspan(start_[b.index()], start_[b.index() + 1] - start_[b.index()]);
  }
  uint32_t num_join_edges() const { return static_cast<uint32_t>(targets_.size()); }

 private:
  std::vector<uint32_t> start_;  // by BlockId, and one more
  std::vector<BlockId> targets_;
};

}  // namespace psi
