#include "psi/analysis/cfg.h"

#include <gtest/gtest.h>

#include "cfg_testing.h"
#include "iterations.h"

namespace psi {
namespace {

using testing::function_of;
using testing::Graph;

std::vector<uint32_t> numbers(std::span<const BlockId> blocks) {
  std::vector<uint32_t> out;
  for (BlockId b : blocks) out.push_back(b.index());
  return out;
}

TEST(Cfg, KeepsEveryEdgeInOrder) {
  Function function = function_of({{1, 1, 2, 1}, {2, 3}, {}, {3, 2, 3}});
  Cfg cfg(function);
  EXPECT_EQ(cfg.entry(), BlockId(0));
  EXPECT_EQ(cfg.num_edges(), 9u);
  EXPECT_EQ(numbers(cfg.successors(BlockId(0))), (std::vector<uint32_t>{1, 1, 2, 1}));
  EXPECT_EQ(numbers(cfg.successors(BlockId(1))), (std::vector<uint32_t>{2, 3}));
  EXPECT_EQ(numbers(cfg.successors(BlockId(2))), (std::vector<uint32_t>{}));
  EXPECT_EQ(numbers(cfg.predecessors(BlockId(1))), (std::vector<uint32_t>{0, 0, 0}));
  EXPECT_EQ(numbers(cfg.predecessors(BlockId(3))), (std::vector<uint32_t>{1, 3, 3}));
}

TEST(Cfg, NamesDistinctPredecessorsOnce) {
  Function function = function_of({{1, 1, 2, 1}, {2, 3}, {}, {3, 2, 3}});
  Cfg cfg(function);
  std::vector<uint32_t> distinct;
  cfg.for_each_distinct_predecessor(BlockId(3), [&](BlockId b) { distinct.push_back(b.index()); });
  EXPECT_EQ(distinct, (std::vector<uint32_t>{1, 3}));
  EXPECT_EQ(cfg.num_distinct_predecessors(BlockId(2)), 3u);
  EXPECT_EQ(cfg.num_distinct_predecessors(BlockId(0)), 0u);
}

TEST(Cfg, BlocksOutsideTheLayoutHaveNoEdges) {
  Function function = function_of({{1}, {}, {1}});
  function.set_layout({BlockId(0), BlockId(1)});
  Cfg cfg(function);
  EXPECT_EQ(numbers(cfg.predecessors(BlockId(1))), (std::vector<uint32_t>{0}));
  EXPECT_TRUE(cfg.successors(BlockId(2)).empty());
}

TEST(Cfg, OfADeclarationIsEmpty) {
  Function function;
  Cfg cfg(function);
  EXPECT_TRUE(cfg.entry().is_none());
  EXPECT_EQ(cfg.num_blocks(), 0u);
  EXPECT_EQ(cfg.num_edges(), 0u);
}

TEST(Cfg, IncomingEdgesLeadBackToTheirBlock) {
  std::mt19937 random(1);
  for (int iteration = 0; iteration < testing::iterations(500); ++iteration) {
    Function function = function_of(testing::random_graph(random, 30));
    Cfg cfg(function);
    uint32_t incoming = 0;
    for (BlockId b : function.layout()) {
      for (uint32_t k = 0; k < cfg.predecessors(b).size(); ++k, ++incoming) {
        Edge edge = cfg.incoming(b, k);
        ASSERT_EQ(edge.from, cfg.predecessors(b)[k]);
        ASSERT_EQ(cfg.target(edge), b);
        ASSERT_EQ(cfg.successors(edge.from)[edge.index], b);
        ASSERT_LT(cfg.number(edge), cfg.num_edges());
      }
    }
    ASSERT_EQ(incoming, cfg.num_edges());
  }
}

}  // namespace
}  // namespace psi
