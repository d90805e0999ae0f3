// Sreedhar and Gao, "A Linear Time Algorithm for Placing Phi-Nodes" (1995), section 2.

#include "psi/analysis/dj_graph.h"

#include "psi/analysis/cfg.h"
#include "psi/analysis/dominators.h"

namespace psi {

DjGraph::DjGraph(const Cfg& cfg, const Dominators& dominators) : start_(cfg.num_blocks() + 1) {
  std::vector<BlockId> seen_from(cfg.num_blocks());  // the last source of a J-edge to each block
  for (uint32_t i = 0; i < cfg.num_blocks(); ++i) {
    BlockId from(i);
    if (dominators.is_reachable(from)) {
      for (BlockId to : cfg.successors(from)) {
        if (dominators.strictly_dominates(from, to) || seen_from[to.index()] == from) continue;
        seen_from[to.index()] = from;
        targets_.push_back(to);
      }
    }
    start_[i + 1] = static_cast<uint32_t>(targets_.size());
  }
}

}  // namespace psi
