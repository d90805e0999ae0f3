#include "psi/analysis/dominators.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <algorithm>

#include "cfg_testing.h"
#include "iterations.h"
#include "psi/analysis/cfg.h"

namespace psi {
namespace {

using testing::function_of;
using testing::Graph;

std::vector<bool> reachable_without(const Graph& graph, uint32_t removed) {
  std::vector<bool> reached(graph.size());
  if (removed == 0) return reached;
  std::vector<uint32_t> work = {0};
  reached[0] = true;
  while (!work.empty()) {
    uint32_t b = work.back();
    work.pop_back();
    for (uint32_t to : graph[b]) {
      if (to == removed || reached[to]) continue;
      reached[to] = true;
      work.push_back(to);
    }
  }
  return reached;
}

void expect_same(const Cfg& cfg, const Dominators& a, const Dominators& b) {
  ASSERT_TRUE(std::ranges::equal(a.preorder(), b.preorder()));
  for (uint32_t i = 0; i < cfg.num_blocks(); ++i) {
    ASSERT_EQ(a.idom(BlockId(i)), b.idom(BlockId(i))) << i;
    ASSERT_EQ(a.level(BlockId(i)), b.level(BlockId(i)));
    ASSERT_EQ(a.subtree_size(BlockId(i)), b.subtree_size(BlockId(i)));
    ASSERT_TRUE(std::ranges::equal(a.children(BlockId(i)), b.children(BlockId(i))));
  }
}

// By the definition: a dominates b if b cannot be reached once a is taken away.
void expect_right(const Graph& graph) {
  constexpr uint32_t kNone = UINT32_MAX;
  Function function = function_of(graph);
  Cfg cfg(function);
  Dominators dominators(cfg);
  ASSERT_NO_FATAL_FAILURE(expect_same(cfg, dominators, Dominators(cfg, DominatorAlgorithm::Iterative)));
  uint32_t n = static_cast<uint32_t>(graph.size());
  std::vector<bool> reachable = reachable_without(graph, kNone);
  std::vector<std::vector<bool>> dominated(n);
  for (uint32_t a = 0; a < n; ++a) {
    std::vector<bool> left = reachable_without(graph, a);
    dominated[a].resize(n);
    for (uint32_t b = 0; b < n; ++b) dominated[a][b] = !reachable[b] || (reachable[a] && !left[b]);
  }

  uint32_t in_tree = 0;
  for (uint32_t b = 0; b < n; ++b) {
    BlockId block(b);
    ASSERT_EQ(dominators.is_reachable(block), reachable[b]);
    uint32_t strict = 0;
    for (uint32_t a = 0; a < n; ++a) {
      ASSERT_EQ(dominators.dominates(BlockId(a), block), dominated[a][b]) << a << " over " << b;
      ASSERT_EQ(dominators.strictly_dominates(BlockId(a), block), a != b && dominated[a][b]);
      if (reachable[b] && a != b && dominated[a][b]) ++strict;
    }
    if (!reachable[b] || b == 0) {
      ASSERT_TRUE(dominators.idom(block).is_none());
      ASSERT_EQ(dominators.level(block), 0u);
    } else {
      // The one strict dominator that all the others dominate.
      BlockId idom = dominators.idom(block);
      ASSERT_TRUE(dominated[idom.index()][b] && idom != block);
      for (uint32_t a = 0; a < n; ++a) {
        if (a == b || !dominated[a][b]) continue;
        ASSERT_TRUE(dominated[a][idom.index()]);
      }
      ASSERT_EQ(dominators.level(block), strict);
    }
    uint32_t subtree = 0;
    for (uint32_t c = 0; c < n; ++c) subtree += reachable[c] && dominated[b][c] ? 1 : 0;
    ASSERT_EQ(dominators.subtree_size(block), subtree);
    for (BlockId child : dominators.children(block)) ASSERT_EQ(dominators.idom(child), block);
    in_tree += static_cast<uint32_t>(dominators.children(block).size());
    if (!reachable[b]) continue;
    ASSERT_EQ(dominators.preorder()[dominators.pre_number(block)], block);
  }
  ASSERT_EQ(in_tree + 1, dominators.preorder().size());
}

TEST(Dominators, OfADiamondInALoop) {
  Graph graph = {{1}, {2, 3}, {4}, {4}, {1, 5}, {}};
  expect_right(graph);
  Function function = function_of(graph);
  Dominators dominators((Cfg(function)));
  EXPECT_EQ(dominators.idom(BlockId(4)), BlockId(1));
  EXPECT_EQ(dominators.idom(BlockId(5)), BlockId(4));
}

// The example of Lengauer and Tarjan's paper, renamed: R A B C D E F G H I J K L are 0 to 12.
TEST(Dominators, OfTheClassicExample) {
  enum { R, A, B, C, D, E, F, G, H, I, J, K, L };
  Graph graph(13);
  graph[R] = {A, B, C};
  graph[A] = {D};
  graph[B] = {A, D, E};
  graph[C] = {F, G};
  graph[D] = {L};
  graph[E] = {H};
  graph[F] = {I};
  graph[G] = {I, J};
  graph[H] = {E, K};
  graph[I] = {K};
  graph[J] = {I};
  graph[K] = {I};  // the paper's K also leads to R, which an entry block may not
  graph[L] = {H};
  expect_right(graph);
  Function function = function_of(graph);
  Dominators dominators((Cfg(function)));
  const std::vector<std::pair<uint32_t, uint32_t>> idoms = {{A, R}, {B, R}, {C, R}, {D, R}, {E, R}, {F, C},
                                                            {G, C}, {H, R}, {I, R}, {J, G}, {K, R}, {L, D}};
  for (auto [block, idom] : idoms) EXPECT_EQ(dominators.idom(BlockId(block)), BlockId(idom)) << block;
}

TEST(Dominators, OfUnreachableBlocks) {
  Function function = function_of({{1}, {}, {1, 3}, {2}});
  Dominators dominators((Cfg(function)));
  EXPECT_TRUE(dominators.dominates(BlockId(1), BlockId(2)));
  EXPECT_TRUE(dominators.dominates(BlockId(2), BlockId(2)));
  EXPECT_TRUE(dominators.dominates(BlockId(3), BlockId(2)));
  EXPECT_FALSE(dominators.dominates(BlockId(2), BlockId(1)));
  EXPECT_TRUE(dominators.idom(BlockId(2)).is_none());
  EXPECT_EQ(dominators.idom(BlockId(1)), BlockId(0));
}

TEST(Dominators, OfADeclarationAreNone) {
  Function function;
  for (DominatorAlgorithm algorithm : {DominatorAlgorithm::SemiNca, DominatorAlgorithm::Iterative}) {
    EXPECT_TRUE(Dominators(Cfg(function), algorithm).preorder().empty());
  }
}

TEST(Dominators, OfThousandsOfRandomGraphs) {
  std::mt19937 random(4);
  for (int iteration = 0; iteration < testing::iterations(4000); ++iteration) {
    ASSERT_NO_FATAL_FAILURE(expect_right(testing::random_graph(random, iteration % 8 == 0 ? 60 : 12)));
  }
}

// The same as a property, so that a failure comes with a small graph.
RC_GTEST_PROP(DominatorsProperty, MatchTheDefinition, ()) {
  uint32_t n = *rc::gen::inRange<uint32_t>(1, 16);
  Graph graph(n);
  for (std::vector<uint32_t>& successors : graph) {
    if (n > 1) {
      successors =
          *rc::gen::resize(3, rc::gen::container<std::vector<uint32_t>>(rc::gen::inRange<uint32_t>(1, n)));
    }
  }
  expect_right(graph);
  RC_ASSERT(!::testing::Test::HasFatalFailure());
}

TEST(Dominators, DeepChains) {
  constexpr uint32_t kDepth = 100'000;
  Graph graph(kDepth);
  // A chain with an edge back from every block: deep both ways.
  for (uint32_t b = 0; b + 1 < kDepth; ++b) {
    graph[b] = {b + 1};
    if (b > 1) graph[b].push_back(b - 1);
  }
  Function function = function_of(graph);
  Dominators dominators((Cfg(function)));
  EXPECT_EQ(dominators.level(BlockId(kDepth - 1)), kDepth - 1);
  EXPECT_EQ(dominators.idom(BlockId(kDepth - 1)), BlockId(kDepth - 2));
  EXPECT_TRUE(dominators.dominates(BlockId(1), BlockId(kDepth - 1)));
  EXPECT_FALSE(dominators.dominates(BlockId(kDepth - 1), BlockId(1)));
  Cfg cfg(function);
  expect_same(cfg, dominators, Dominators(cfg, DominatorAlgorithm::Iterative));
}

// Every block of a long chain also leads to one last block, and back: wide joins.
TEST(Dominators, WideJoins) {
  constexpr uint32_t kBlocks = 100'000;
  Graph graph(kBlocks);
  for (uint32_t b = 0; b + 2 < kBlocks; ++b) graph[b] = {b + 1, kBlocks - 1};
  for (uint32_t b = 1; b + 1 < kBlocks; ++b) graph[kBlocks - 1].push_back(b);
  Function function = function_of(graph);
  Dominators dominators((Cfg(function)));
  for (uint32_t b = 1; b < kBlocks; ++b) ASSERT_EQ(dominators.idom(BlockId(b)), BlockId(0));
}

}  // namespace
}  // namespace psi
