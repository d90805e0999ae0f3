// Immediate dominators by semi-NCA.
#pragma once

#include <cstdint>
#include <memory_resource>
#include <vector>

#include "analysis/flow_graph.h"

namespace psi::analysis {

// The result of a dominator algorithm: the reachable nodes in preorder of a depth-first search, and for each
// the position in that list of its immediate dominator, which comes before it. The root's is itself.
struct ImmediateDominators {
  std::pmr::vector<BlockId> nodes;
  std::pmr::vector<uint32_t> idoms;
};

ImmediateDominators semi_nca(const ForwardGraph& graph, std::pmr::memory_resource& memory);
ImmediateDominators semi_nca(const ReversedGraph& graph, std::pmr::memory_resource& memory);

}  // namespace psi::analysis
