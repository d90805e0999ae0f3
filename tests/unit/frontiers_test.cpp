#include "psi/analysis/frontiers.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "analysis_testing.h"
#include "iterations.h"
#include "psi/analysis/cfg.h"
#include "psi/analysis/dominators.h"

namespace psi {
namespace {

using testing::function_of;
using testing::Graph;

// By the definition: y is in the frontier of x if x dominates a predecessor of y, but not strictly y.
void expect_right_frontiers(const Graph& graph) {
  Function function = function_of(graph);
  Cfg cfg(function);
  Dominators dominators(cfg);
  DominanceFrontiers frontiers(cfg, dominators);
  uint64_t total = 0;
  for (uint32_t i = 0; i < cfg.num_blocks(); ++i) {
    BlockId x(i);
    std::vector<BlockId> expected;
    for (BlockId y : dominators.preorder()) {
      bool found = false;
      for (BlockId p : cfg.predecessors(y)) {
        if (!dominators.is_reachable(x) || !dominators.is_reachable(p)) continue;
        found |= dominators.dominates(x, p) && !dominators.strictly_dominates(x, y);
      }
      if (found) expected.push_back(y);
    }
    ASSERT_TRUE(std::ranges::equal(frontiers.of(x), expected)) << i;
    total += expected.size();
  }
  ASSERT_EQ(frontiers.total_size(), total);
}

TEST(Frontiers, OfALoopWithADiamond) {
  Function function = function_of({{1}, {2, 3}, {4}, {4}, {1, 5}, {}});
  Cfg cfg(function);
  DominanceFrontiers frontiers(cfg, Dominators(cfg));
  auto of = [&](uint32_t b) {
    std::vector<uint32_t> blocks;
    for (BlockId y : frontiers.of(BlockId(b))) blocks.push_back(y.index());
    return blocks;
  };
  EXPECT_EQ(of(0), std::vector<uint32_t>{});
  EXPECT_EQ(of(1), std::vector<uint32_t>{1});
  EXPECT_EQ(of(2), std::vector<uint32_t>{4});
  EXPECT_EQ(of(3), std::vector<uint32_t>{4});
  EXPECT_EQ(of(4), std::vector<uint32_t>{1});
  EXPECT_EQ(of(5), std::vector<uint32_t>{});
}

TEST(Frontiers, OfADeclarationAreNone) {
  Function function;
  Cfg cfg(function);
  EXPECT_EQ(DominanceFrontiers(cfg, Dominators(cfg)).total_size(), 0u);
}

TEST(Frontiers, OfThousandsOfRandomGraphs) {
  std::mt19937 random(22);
  for (int iteration = 0; iteration < testing::iterations(4000); ++iteration) {
    ASSERT_NO_FATAL_FAILURE(
        expect_right_frontiers(testing::random_graph(random, iteration % 8 == 0 ? 60 : 12)));
  }
}

TEST(Frontiers, DeepChains) {
  constexpr uint32_t kDepth = 100'000;
  Function function = function_of(testing::chain_with_edges_back(kDepth));
  Cfg cfg(function);
  DominanceFrontiers frontiers(cfg, Dominators(cfg));
  EXPECT_EQ(frontiers.of(BlockId(kDepth / 2)).size(), 2u);
}

// The quadratic case: every latch of a nest has all the headers around it in its frontier.
TEST(Frontiers, NestsOfLoops) {
  constexpr uint32_t kDepth = 2000;
  Function function = function_of(testing::loop_nest(kDepth));
  Cfg cfg(function);
  DominanceFrontiers frontiers(cfg, Dominators(cfg));
  for (uint32_t i = 1; i <= kDepth; ++i) {
    ASSERT_EQ(frontiers.of(BlockId(i)).size(), i);
    ASSERT_EQ(frontiers.of(BlockId(2 * kDepth + 1 - i)).size(), i);
  }
}

}  // namespace
}  // namespace psi
