// Random models of copies, and the best that can be made of them, by trying everything.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <numeric>
#include <set>
#include <utility>
#include <vector>

#include "destruct/best_partition.h"
#include "psi/destruct/copy_model.h"
#include "testing/random.h"

namespace psi::testing {

inline CopyModel random_copy_model(uint64_t seed, uint32_t max_nodes) {
  Random random(seed);
  CopyModel model;
  model.num_nodes = 1 + random.below(max_nodes);
  uint32_t num_pairs = random.below(model.num_nodes * 2), num_edges = random.below(model.num_nodes * 3);
  auto node = [&] { return random.below(model.num_nodes); };
  std::set<std::pair<uint32_t, uint32_t>> apart;
  for (uint32_t i = 0; i < num_pairs; ++i) {
    uint32_t a = node(), b = node();
    if (a != b) apart.insert(std::minmax(a, b));
  }
  model.apart.assign(apart.begin(), apart.end());
  constexpr double kWeights[] = {0.25, 0.5, 1, 1, 1, 8, 10.0 / 3};
  for (uint32_t i = 0; i < num_edges; ++i) {
    uint32_t a = node(), b = node();
    if (a != b) model.edges.push_back({a, b, kWeights[random.below(std::size(kWeights))]});
  }
  return model;
}

inline bool keeps_apart(const CopyModel& model, const std::vector<uint32_t>& registers) {
  return std::none_of(model.apart.begin(), model.apart.end(),
                      [&](auto pair) { return registers[pair.first] == registers[pair.second]; });
}

// Calls visit(registers) for all partitions: the register of each node is at most one above those of the
// nodes before it.
template <class Visit>
void for_each_partition(uint32_t num_nodes, Visit visit) {
  std::vector<uint32_t> registers(num_nodes), largest(num_nodes);
  while (true) {
    visit(std::as_const(registers));
    uint32_t i = num_nodes;
    while (i > 0 && (--i == 0 || registers[i] > largest[i - 1])) {
      if (i == 0) return;
    }
    if (num_nodes == 0) return;
    ++registers[i];
    largest[i] = std::max(largest[i - 1], registers[i]);
    for (uint32_t k = i + 1; k < num_nodes; ++k) {
      registers[k] = 0;
      largest[k] = largest[i];
    }
  }
}

// Do copies connect all nodes of each register? To make one of others spares no copy.
inline bool is_connected(const CopyModel& model, const std::vector<uint32_t>& registers) {
  std::vector<uint32_t> part(model.num_nodes);
  std::iota(part.begin(), part.end(), 0u);
  for (const CopyModel::Edge& edge : model.edges) {
    if (registers[edge.a] != registers[edge.b]) continue;
    std::replace(part.begin(), part.end(), uint32_t{part[edge.a]}, uint32_t{part[edge.b]});
  }
  std::set<std::pair<uint32_t, uint32_t>> parts;
  for (uint32_t node = 0; node < model.num_nodes; ++node) parts.emplace(registers[node], part[node]);
  return parts.size() == std::set(registers.begin(), registers.end()).size();
}

inline double least_of_all(const CopyModel& model) {
  double best = std::numeric_limits<double>::infinity();
  for_each_partition(model.num_nodes, [&](const std::vector<uint32_t>& registers) {
    if (keeps_apart(model, registers)) best = std::min(best, cut(model, registers));
  });
  return best;
}

// By the search that coalescing uses, from every node alone.
inline double least_by_search(const CopyModel& model) {
  destruct::PartitionProblem problem;
  problem.num_nodes = model.num_nodes;
  problem.apart.resize(model.num_nodes);
  std::vector<uint8_t> sets;
  for (uint32_t i = 0; i < model.num_nodes; ++i) sets.push_back(static_cast<uint8_t>(i));
  for (auto [a, b] : model.apart) {
    problem.apart[a] |= uint64_t{1} << b;
    problem.apart[b] |= uint64_t{1} << a;
  }
  for (const CopyModel::Edge& edge : model.edges) {
    problem.edges.push_back({static_cast<uint8_t>(edge.a), static_cast<uint8_t>(edge.b), edge.weight});
  }
  improve_partition(problem, sets, UINT64_MAX);
  std::vector<uint32_t> registers(sets.begin(), sets.end());
  return keeps_apart(model, registers) ? cut(model, registers) : -1;
}

}  // namespace psi::testing
