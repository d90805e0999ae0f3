#include "psi/analysis/control_dependence.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "analysis_testing.h"
#include "iterations.h"
#include "psi/analysis/cfg.h"
#include "psi/analysis/order.h"
#include "psi/analysis/post_dominators.h"

namespace psi {
namespace {

using testing::add_guarded_exit;
using testing::function_of;
using testing::Graph;

struct Analysis {
  explicit Analysis(const Function& function)
      : cfg(function), tree(function, cfg, Order(cfg)), dependence(cfg, tree) {}
  Cfg cfg;
  PostDominators tree;
  ControlDependence dependence;
};

// By the definition: b depends on the edge from a to s if it post-dominates s, but not strictly a.
void expect_right(const Function& function) {
  Analysis analysis(function);
  const Cfg& cfg = analysis.cfg;
  const PostDominators& tree = analysis.tree;
  uint64_t total = 0;
  std::vector<std::vector<BlockId>> dependents(cfg.num_edges());
  for (uint32_t i = 0; i < cfg.num_blocks(); ++i) {
    BlockId b(i);
    std::vector<Edge> expected;
    for (uint32_t from = 0; from < cfg.num_blocks(); ++from) {
      BlockId a(from);
      if (!tree.is_connected(a)) continue;
      for (uint32_t k = 0; k < cfg.successors(a).size(); ++k) {
        if (!tree.post_dominates(b, cfg.successors(a)[k]) || tree.strictly_post_dominates(b, a)) continue;
        expected.push_back({a, k});
        dependents[cfg.number({a, k})].push_back(b);
      }
    }
    ASSERT_TRUE(std::ranges::equal(analysis.dependence.of(b), expected)) << i;
    total += expected.size();
  }
  ASSERT_EQ(analysis.dependence.total_size(), total);
  for (uint32_t from = 0; from < cfg.num_blocks(); ++from) {
    for (uint32_t k = 0; k < cfg.successors(BlockId(from)).size(); ++k) {
      Edge edge{BlockId(from), k};
      std::vector<BlockId> found;
      ControlDependence::for_each_dependent(cfg, tree, edge, [&](BlockId b) { found.push_back(b); });
      std::ranges::sort(found);
      ASSERT_EQ(found, dependents[cfg.number(edge)]);
    }
  }
}

TEST(ControlDependence, OfADiamondInALoop) {
  Function function = function_of({{1}, {2, 3}, {4}, {4}, {1, 5}, {}});
  Analysis analysis(function);
  auto of = [&](uint32_t b) {
    std::span<const Edge> edges = analysis.dependence.of(BlockId(b));
    return std::vector<Edge>(edges.begin(), edges.end());
  };
  // The loop is executed again if its end leads back, itself included.
  Edge back{BlockId(4), 0};
  EXPECT_EQ(of(0), std::vector<Edge>{});
  EXPECT_EQ(of(1), std::vector<Edge>{back});
  EXPECT_EQ(of(2), (std::vector<Edge>{{BlockId(1), 0}}));
  EXPECT_EQ(of(3), (std::vector<Edge>{{BlockId(1), 1}}));
  EXPECT_EQ(of(4), std::vector<Edge>{back});
  EXPECT_EQ(of(5), std::vector<Edge>{});
}

TEST(ControlDependence, OnAGuardedReturn) {
  Function function = function_of({{1}, {2}, {}});
  add_guarded_exit(function, BlockId(1));
  Analysis analysis(function);
  ASSERT_EQ(analysis.dependence.of(BlockId(2)).size(), 1u);
  EXPECT_EQ(analysis.dependence.of(BlockId(2))[0], (Edge{BlockId(1), 0}));
  EXPECT_TRUE(analysis.dependence.of(BlockId(1)).empty());
}

TEST(ControlDependence, OfADeclarationIsNone) {
  Function function;
  EXPECT_EQ(Analysis(function).dependence.total_size(), 0u);
}

TEST(ControlDependence, OfThousandsOfRandomGraphs) {
  std::mt19937 random(24);
  for (int iteration = 0; iteration < testing::iterations(4000); ++iteration) {
    Function function = function_of(testing::random_graph(random, iteration % 8 == 0 ? 60 : 12));
    for (uint32_t b = 0; b < function.num_blocks(); ++b) {
      if (random() % 8 == 0) add_guarded_exit(function, BlockId(b));
    }
    ASSERT_NO_FATAL_FAILURE(expect_right(function));
  }
}

TEST(ControlDependence, DeepChains) {
  constexpr uint32_t kDepth = 100'000;
  Function function = function_of(testing::chain_with_edges_back(kDepth));
  Analysis analysis(function);
  // On the edges back from itself and from the next block.
  EXPECT_EQ(analysis.dependence.of(BlockId(kDepth / 2)).size(), 2u);
}

// The quadratic case: the latches of a nest are repeated as often as any loop around is.
TEST(ControlDependence, NestsOfLoops) {
  constexpr uint32_t kDepth = 2000;
  Function function = function_of(testing::loop_nest(kDepth));
  Analysis analysis(function);
  for (uint32_t i = 1; i <= kDepth; ++i) ASSERT_EQ(analysis.dependence.of(BlockId(i)).size(), i);
}

}  // namespace
}  // namespace psi
