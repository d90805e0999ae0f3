#include "psi/analysis/regions.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "analysis_testing.h"
#include "iterations.h"
#include "psi/analysis/cfg.h"
#include "psi/analysis/order.h"

namespace psi {
namespace {

using testing::function_of;
using testing::Graph;

Regions regions_of(const Function& function) {
  Cfg cfg(function);
  return Regions(cfg, Order(cfg));
}

TEST(Regions, WithoutLoopsThereIsOne) {
  Regions regions = regions_of(function_of({{1, 2}, {3, 4}, {4}, {4}, {}}));
  ASSERT_EQ(regions.num_regions(), 1u);
  EXPECT_EQ(regions.blocks(0).size(), 5u);
  EXPECT_EQ(regions.entry(0), BlockId(0));
}

// 0 -> 1 <-> 2, 1 -> 3: the loop is a region with what comes after it.
TEST(Regions, ALoopStartsOneAtItsHeader) {
  Regions regions = regions_of(function_of({{1}, {2, 3}, {1}, {}}));
  ASSERT_EQ(regions.num_regions(), 2u);
  EXPECT_EQ(regions.region(BlockId(0)), 0u);
  for (uint32_t b : {1, 2, 3}) EXPECT_EQ(regions.region(BlockId(b)), 1u);
  EXPECT_EQ(regions.entry(1), BlockId(1));
}

// Where ways from two regions meet.
TEST(Regions, AJoinOfTwoStartsAnother) {
  Regions regions = regions_of(function_of({{1, 2}, {1, 3}, {3}, {}}));
  ASSERT_EQ(regions.num_regions(), 3u);
  EXPECT_EQ(regions.region(BlockId(2)), regions.region(BlockId(0)));
  EXPECT_EQ(regions.entry(regions.region(BlockId(3))), BlockId(3));
}

TEST(Regions, WhatCannotBeReachedDoesNotCount) {
  Regions regions = regions_of(function_of({{1}, {}, {1}}));
  ASSERT_EQ(regions.num_regions(), 1u);
  EXPECT_EQ(regions.region(BlockId(2)), Regions::kNone);
}

TEST(Regions, ADeclarationHasNone) { EXPECT_EQ(regions_of(Function()).num_regions(), 0u); }

// The rule, edge by edge.
TEST(Regions, RandomGraphs) {
  std::mt19937 random(5);
  for (int iteration = 0; iteration < testing::iterations(2000); ++iteration) {
    Graph graph = testing::random_graph(random, 30);
    Function function = function_of(graph);
    Cfg cfg(function);
    Order order(cfg);
    Regions regions(cfg, order);
    std::vector<bool> is_reachable = testing::reachable(graph);
    std::vector<uint32_t> times_listed(graph.size());
    for (uint32_t r = 0; r < regions.num_regions(); ++r) {
      ASSERT_FALSE(regions.blocks(r).empty());
      for (BlockId b : regions.blocks(r)) {
        ASSERT_EQ(regions.region(b), r);
        ++times_listed[b.index()];
      }
      ASSERT_TRUE(std::ranges::is_sorted(regions.blocks(r), {}, [&](BlockId b) { return order.number(b); }));
    }
    std::vector<bool> must_be_entry(graph.size());
    must_be_entry[0] = true;
    std::vector<uint32_t> from(graph.size(), Regions::kNone);  // the region that some way comes from
    for (uint32_t b = 0; b < graph.size(); ++b) {
      ASSERT_EQ(times_listed[b], is_reachable[b] ? 1u : 0u);
      if (!is_reachable[b]) continue;
      uint32_t own = regions.region(BlockId(b));
      for (uint32_t to : graph[b]) {
        bool leads_back = order.number(BlockId(to)) <= order.number(BlockId(b));
        if (leads_back || (from[to] != Regions::kNone && from[to] != own)) must_be_entry[to] = true;
        from[to] = own;
      }
    }
    for (uint32_t b = 0; b < graph.size(); ++b) {
      if (!is_reachable[b]) continue;
      uint32_t own = regions.region(BlockId(b));
      ASSERT_EQ(regions.entry(own) == BlockId(b), must_be_entry[b])
          << "iteration " << iteration << ", block " << b;
      if (!must_be_entry[b]) {
        ASSERT_EQ(own, from[b]);
      }
    }
  }
}

TEST(Regions, DeepChains) {
  Regions regions = regions_of(function_of(testing::chain_with_edges_back(100'000)));
  EXPECT_GT(regions.num_regions(), 90'000u);
  regions = regions_of(function_of(testing::loop_nest(50'000)));
  EXPECT_EQ(regions.num_regions(), 50'001u);
}

}  // namespace
}  // namespace psi
