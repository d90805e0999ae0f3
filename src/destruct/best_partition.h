// The heart of coalescing, without a program around it: which nodes to put together, given which must stay
// apart, so that the edges between different sets weigh least.
#pragma once

#include <cstdint>
#include <vector>

namespace psi::destruction {

struct PartitionProblem {
  static constexpr uint32_t kMaxNodes = 64;
  struct Edge {
    uint8_t a, b;
    double weight;
  };

  uint32_t num_nodes = 0;
  std::vector<uint64_t> apart;  // by node: the nodes that it must not be with
  std::vector<Edge> edges;
};

// What the edges between different sets weigh; sets by number, one for each node.
double cut(const PartitionProblem& problem, const std::vector<uint8_t>& sets);

// Replaces `sets`, which keep apart what must be, by better ones, if there are. Branch and bound: they are
// the best of all if it comes to an end within `max_steps`. True if they changed.
bool improve_partition(const PartitionProblem& problem, std::vector<uint8_t>& sets, uint64_t max_steps);

}  // namespace psi::destruction
