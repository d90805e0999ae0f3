// What the tests of several analyses need besides random graphs.
#pragma once

#include <vector>

#include "cfg_testing.h"
#include "psi/ir/function.h"

namespace psi::testing {

// Puts a guarded `ret` or `unreachable` before the terminators of a block.
inline void add_guarded_exit(Function& function, BlockId b, Opcode op = Opcode::Ret) {
  Inst inst;
  inst.op = op;
  inst.guard = Guard(Reg(0), false);
  std::vector<InstId> ids(function.insts(b).begin(), function.insts(b).end());
  size_t first = ids.size() - function.terminators(b).size();
  ids.insert(ids.begin() + static_cast<ptrdiff_t>(first), function.add_inst(inst, {}));
  function.set_insts(b, ids);
}

// The blocks that can be reached from `from` through `allowed` blocks only, itself included.
inline std::vector<bool> reach(const Graph& graph, uint32_t from, const std::vector<bool>& allowed) {
  std::vector<bool> reached(graph.size());
  if (!allowed[from]) return reached;
  std::vector<uint32_t> work = {from};
  reached[from] = true;
  while (!work.empty()) {
    uint32_t b = work.back();
    work.pop_back();
    for (uint32_t to : graph[b]) {
      if (!allowed[to] || reached[to]) continue;
      reached[to] = true;
      work.push_back(to);
    }
  }
  return reached;
}

inline std::vector<bool> reachable(const Graph& graph) {
  return reach(graph, 0, std::vector<bool>(graph.size(), true));
}

// Loops in loops: headers 1 to depth, their latches in the opposite order, and an exit. Each latch leads to
// its header and to the next latch outwards.
inline Graph loop_nest(uint32_t depth) {
  Graph graph(2 * depth + 2);
  graph[0] = {1};
  for (uint32_t i = 1; i <= depth; ++i) {
    uint32_t latch = 2 * depth + 1 - i;
    graph[i] = {i == depth ? latch : i + 1};
    graph[latch] = {i, latch + 1};
  }
  return graph;
}

// A chain with an edge back from every block to the one before: deep both ways.
inline Graph chain_with_edges_back(uint32_t blocks) {
  Graph graph(blocks);
  for (uint32_t b = 0; b + 1 < blocks; ++b) {
    graph[b] = {b + 1};
    if (b > 1) graph[b].push_back(b - 1);
  }
  return graph;
}

}  // namespace psi::testing
