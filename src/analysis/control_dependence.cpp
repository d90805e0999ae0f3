// Ferrante, Ottenstein and Warren, "The Program Dependence Graph and Its Use in Optimization" (1987), section
// 3.1: what depends on the edge from a to s are the blocks from s up the post-dominator tree to, but without,
// the immediate post-dominator of a.
//
// Linear in the edges and in the number of dependences, walked twice: to count, and to fill.

#include "psi/analysis/control_dependence.h"

#include "psi/analysis/cfg.h"
#include "psi/analysis/post_dominators.h"

namespace psi {
namespace {

// Calls found(BlockId, Edge) for every block and edge that it depends on.
template <class Found>
void for_each_pair(const Cfg& cfg, const PostDominators& post_dominators, Found found) {
  for (uint32_t i = 0; i < cfg.num_blocks(); ++i) {
    uint32_t count = static_cast<uint32_t>(cfg.successors(BlockId(i)).size());
    for (Edge edge{BlockId(i), 0}; edge.index < count; ++edge.index) {
      ControlDependence::for_each_dependent(cfg, post_dominators, edge, [&](BlockId b) { found(b, edge); });
    }
  }
}

}  // namespace

ControlDependence::ControlDependence(const Cfg& cfg, const PostDominators& post_dominators)
    : start_(cfg.num_blocks() + 1) {
  for_each_pair(cfg, post_dominators, [&](BlockId b, Edge) { ++start_[b.index() + 1]; });
  for (uint32_t i = 0; i < cfg.num_blocks(); ++i) start_[i + 1] += start_[i];
  edges_.resize(start_.back());
  std::vector<uint64_t> next(start_.begin(), start_.end() - 1);
  for_each_pair(cfg, post_dominators, [&](BlockId b, Edge edge) { edges_[next[b.index()]++] = edge; });
}

}  // namespace psi
