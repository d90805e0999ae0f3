// Random control flow graphs as functions.
#pragma once

#include <random>
#include <vector>

#include "psi/ir/builder.h"
#include "psi/ir/function.h"

namespace psi::testing {

using Graph = std::vector<std::vector<uint32_t>>;  // successors by block, repeats included

// A function with these edges, block 0 first. The edges of a block are spread over several terminators.
inline Function function_of(const Graph& graph) {
  Function function;
  Builder builder(function);
  std::vector<BlockId> blocks;
  for (size_t i = 0; i < graph.size(); ++i) blocks.push_back(function.add_block());
  Reg p = function.add_reg(Type::i1, "p");
  for (size_t i = 0; i < graph.size(); ++i) {
    const std::vector<uint32_t>& to = graph[i];
    builder.at(blocks[i]);
    size_t k = 0;
    // Every other block starts with a guarded terminator.
    if (i % 2 == 1 && to.size() > 1) {
      builder.guard(Guard(p, false));
      builder.br(blocks[to[k++]]);
      builder.guard({});
    }
    size_t left = to.size() - k;
    if (left == 0) {
      builder.ret();
    } else if (left == 1) {
      builder.br(blocks[to[k]]);
    } else if (left == 2) {
      builder.br(Operand::reg(p), blocks[to[k]], blocks[to[k + 1]]);
    } else {
      std::vector<Operand> cases;
      for (size_t j = k + 1; j < to.size(); ++j) {
        cases.push_back(function.literal(Type::i32, static_cast<int64_t>(j)));
        cases.push_back(Operand::block(blocks[to[j]]));
      }
      builder.switch_on(Type::i32, function.literal(Type::i32, int64_t{0}), blocks[to[k]], cases);
    }
  }
  return function;
}

// Any shape: irreducible, with self loops, repeated edges, endless and unreachable parts. Nothing leads to
// block 0.
inline Graph random_graph(std::mt19937& random, uint32_t max_blocks) {
  auto below = [&](uint32_t n) { return std::uniform_int_distribution<uint32_t>(0, n - 1)(random); };
  Graph graph(1 + below(max_blocks));
  uint32_t n = static_cast<uint32_t>(graph.size());
  uint32_t density = 1 + below(4);
  for (std::vector<uint32_t>& successors : graph) {
    for (uint32_t k = below(density + 1); k > 0 && n > 1; --k) successors.push_back(1 + below(n - 1));
  }
  return graph;
}

}  // namespace psi::testing
