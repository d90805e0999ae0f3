#include "psi/analysis/order.h"

#include <gtest/gtest.h>

#include "cfg_testing.h"
#include "iterations.h"
#include "psi/analysis/cfg.h"

namespace psi {
namespace {

using testing::function_of;
using testing::Graph;

TEST(Order, ADiamondComesBeforeItsJoin) {
  Function function = function_of({{2, 1}, {3}, {3}, {}});
  Order order((Cfg(function)));
  ASSERT_EQ(order.num_reachable(), 4u);
  EXPECT_EQ(order.reverse_post_order().front(), BlockId(0));
  EXPECT_EQ(order.reverse_post_order().back(), BlockId(3));
  EXPECT_EQ(order.post_number(BlockId(3)), 0u);
  EXPECT_EQ(order.number(BlockId(0)), 0u);
}

TEST(Order, LeavesOutWhatCannotBeReached) {
  Function function = function_of({{1}, {}, {1, 3}, {2}});
  Order order((Cfg(function)));
  EXPECT_EQ(order.num_reachable(), 2u);
  EXPECT_FALSE(order.is_reachable(BlockId(2)));
  EXPECT_EQ(order.number(BlockId(3)), Order::kUnreachable);
  EXPECT_EQ(order.post_number(BlockId(3)), Order::kUnreachable);
}

TEST(Order, OfADeclarationIsEmpty) {
  Function function;
  Order order((Cfg(function)));
  EXPECT_EQ(order.num_reachable(), 0u);
}

// Block numbers stand for a topological order where edges only lead forward, so in any such graph every edge
// must lead forward in reverse post-order.
TEST(Order, IsTopologicalWithoutLoops) {
  std::mt19937 random(2);
  for (int iteration = 0; iteration < testing::iterations(1000); ++iteration) {
    Graph graph = testing::random_graph(random, 40);
    for (uint32_t b = 0; b < graph.size(); ++b) {
      std::erase_if(graph[b], [&](uint32_t to) { return to <= b; });
    }
    Function function = function_of(graph);
    Order order((Cfg(function)));
    for (uint32_t b = 0; b < graph.size(); ++b) {
      if (!order.is_reachable(BlockId(b))) continue;
      for (uint32_t to : graph[b]) ASSERT_LT(order.number(BlockId(b)), order.number(BlockId(to)));
    }
  }
}

TEST(Order, HoldsExactlyTheReachableBlocks) {
  std::mt19937 random(3);
  for (int iteration = 0; iteration < testing::iterations(1000); ++iteration) {
    Graph graph = testing::random_graph(random, 40);
    std::vector<bool> reached(graph.size());
    std::vector<uint32_t> work = {0};
    reached[0] = true;
    while (!work.empty()) {
      uint32_t b = work.back();
      work.pop_back();
      for (uint32_t to : graph[b]) {
        if (!reached[to]) work.push_back(to);
        reached[to] = true;
      }
    }
    Function function = function_of(graph);
    Order order((Cfg(function)));
    uint32_t count = 0;
    for (uint32_t b = 0; b < graph.size(); ++b) {
      ASSERT_EQ(order.is_reachable(BlockId(b)), reached[b]);
      if (reached[b]) ++count;
    }
    ASSERT_EQ(order.num_reachable(), count);
    for (uint32_t i = 0; i < count; ++i) {
      BlockId b = order.reverse_post_order()[i];
      ASSERT_EQ(order.number(b), i);
      ASSERT_EQ(order.post_number(b), count - 1 - i);
    }
  }
}

TEST(Order, DeepChains) {
  Graph graph(100'000);
  for (uint32_t b = 0; b + 1 < graph.size(); ++b) graph[b] = {b + 1};
  Function function = function_of(graph);
  Order order((Cfg(function)));
  EXPECT_EQ(order.num_reachable(), 100'000u);
  EXPECT_EQ(order.number(BlockId(99'999)), 99'999u);
}

}  // namespace
}  // namespace psi
