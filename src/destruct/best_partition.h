// Coalescing as a graph problem: unite nodes, given conflicts between them, so that the edges between
// different sets weigh least.
#pragma once

#include <cstdint>
#include <vector>

namespace psi::destruct {

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

// The weight of the edges between different sets; sets by number, one for each node.
double cut(const PartitionProblem& problem, const std::vector<uint8_t>& sets);

// Replaces the valid `sets` by better ones, if there are any. Branch and bound: the result is optimal if the
// search ends within `max_steps`. True if they changed.
bool improve_partition(const PartitionProblem& problem, std::vector<uint8_t>& sets, uint64_t max_steps);

}  // namespace psi::destruct
