#include "optimise/dead_code/branch_index.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>

#include "cfg_testing.h"
#include "iterations.h"
#include "psi/analysis/cfg.h"
#include "psi/analysis/control_dependence.h"
#include "psi/analysis/order.h"
#include "psi/analysis/post_dominators.h"

namespace psi {
namespace {

using testing::function_of;
using testing::Graph;
using testing::random_graph;

// Blocks asked for in any order give, all together, the branches that a table of dependences has for them,
// but for blocks with one edge, of which there is nothing to choose.
TEST(BranchIndex, FindsWhatATableWould) {
  std::mt19937 random(1);
  for (int iteration = 0; iteration < testing::iterations(2000); ++iteration) {
    Function function = function_of(random_graph(random, 20));
    Cfg cfg(function);
    PostDominators tree(function, cfg, Order(cfg));
    ControlDependence table(cfg, tree);
    optimise::BranchIndex index(cfg, tree);
    std::vector<BlockId> blocks(tree.preorder().begin(), tree.preorder().end());
    std::shuffle(blocks.begin(), blocks.end(), random);
    std::set<BlockId> expected, found;
    for (BlockId b : blocks) {
      for (Edge edge : table.of(b)) {
        if (cfg.successors(edge.from).size() > 1) expected.insert(edge.from);
      }
      index.take(b, [&](BlockId branch) { found.insert(branch); });
      ASSERT_EQ(found, expected) << "in iteration " << iteration;
    }
  }
}

// In a nest of loops the table would have a million entries.
TEST(BranchIndex, TakesNestsOfLoops) {
  constexpr uint32_t kLoops = 1000;
  Graph graph(2 * kLoops + 2);
  for (uint32_t i = 0; i <= kLoops; ++i) graph[i] = {i + 1};
  for (uint32_t i = 0; i < kLoops; ++i) graph[kLoops + 1 + i] = {kLoops - i, kLoops + 2 + i};
  graph.back() = {};
  graph[kLoops] = {kLoops + 1};
  Function function = function_of(graph);
  Cfg cfg(function);
  PostDominators tree(function, cfg, Order(cfg));
  optimise::BranchIndex index(cfg, tree);
  std::set<BlockId> found;
  index.take(BlockId(kLoops), [&](BlockId branch) { found.insert(branch); });
  EXPECT_EQ(found.size(), kLoops);
}

}  // namespace
}  // namespace psi
