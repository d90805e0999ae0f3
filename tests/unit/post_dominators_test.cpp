#include "psi/analysis/post_dominators.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "analysis_testing.h"
#include "iterations.h"
#include "psi/analysis/cfg.h"
#include "psi/analysis/order.h"

namespace psi {
namespace {

using testing::add_guarded_exit;
using testing::function_of;
using testing::Graph;

struct Program {
  Graph graph;
  Function function;
  std::vector<bool> is_exit;  // with a ret or unreachable of its own
};

Program program_of(const Graph& graph) {
  Program program{graph, function_of(graph), std::vector<bool>(graph.size())};
  for (size_t b = 0; b < graph.size(); ++b) program.is_exit[b] = graph[b].empty();
  return program;
}

// Some blocks leave the function under a guard.
Program random_program(std::mt19937& random, uint32_t max_blocks) {
  Program program = program_of(testing::random_graph(random, max_blocks));
  for (uint32_t b = 0; b < program.graph.size(); ++b) {
    if (random() % 8 != 0) continue;
    add_guarded_exit(program.function, BlockId(b), random() % 2 == 0 ? Opcode::Ret : Opcode::Unreachable);
    program.is_exit[b] = true;
  }
  return program;
}

// Every real exit, and of each strongly connected set of blocks without a way out the last in reverse
// post-order; nothing else.
void expect_right_exits(const Program& program, const Order& order, const PostDominators& tree) {
  uint32_t n = static_cast<uint32_t>(program.graph.size());
  std::vector<bool> all(n, true);
  std::vector<std::vector<bool>> reach;
  for (uint32_t b = 0; b < n; ++b) reach.push_back(testing::reach(program.graph, b, all));
  std::vector<BlockId> expected;
  for (BlockId b : order.reverse_post_order()) {
    bool is_exit = program.is_exit[b.index()];
    if (!is_exit) {
      // What it leads to leads back to it, none is an exit, and none comes later in the order.
      is_exit = true;
      for (uint32_t to = 0; to < n; ++to) {
        if (!reach[b.index()][to]) continue;
        if (!reach[to][b.index()] || program.is_exit[to] || order.number(BlockId(to)) > order.number(b)) {
          is_exit = false;
        }
      }
    }
    if (is_exit) expected.push_back(b);
  }
  ASSERT_TRUE(std::ranges::equal(tree.exits(), expected));
}

// By the definition: a post-dominates b if no exit can be reached from b once a is taken away.
void expect_right(const Program& program) {
  Cfg cfg(program.function);
  Order order(cfg);
  PostDominators tree(program.function, cfg, order);
  ASSERT_NO_FATAL_FAILURE(expect_right_exits(program, order, tree));
  uint32_t n = static_cast<uint32_t>(program.graph.size());
  std::vector<std::vector<bool>> over(n, std::vector<bool>(n));
  std::vector<bool> reachable = testing::reachable(program.graph);
  for (uint32_t a = 0; a < n; ++a) {
    std::vector<bool> allowed(n, true);
    allowed[a] = false;
    for (uint32_t b = 0; b < n; ++b) {
      std::vector<bool> left = testing::reach(program.graph, b, allowed);
      bool leaves = std::ranges::any_of(tree.exits(), [&](BlockId exit) { return left[exit.index()]; });
      over[a][b] = reachable[a] && reachable[b] && !leaves;
    }
  }

  uint32_t connected = 0;
  uint32_t children = static_cast<uint32_t>(tree.roots().size());
  for (BlockId b : tree.roots()) ASSERT_TRUE(tree.ipdom(b).is_none() && tree.is_connected(b));
  for (uint32_t b = 0; b < n; ++b) {
    BlockId block(b);
    ASSERT_EQ(tree.is_connected(block), reachable[b]);
    uint32_t above = 0;
    uint32_t below = 0;
    for (uint32_t a = 0; a < n; ++a) {
      ASSERT_EQ(tree.post_dominates(BlockId(a), block), over[a][b]) << a << " over " << b;
      ASSERT_EQ(tree.strictly_post_dominates(BlockId(a), block), a != b && over[a][b]);
      above += over[a][b] ? 1 : 0;
      below += over[b][a] ? 1 : 0;
    }
    // The virtual exit has level 0.
    ASSERT_EQ(tree.level(block), above);
    ASSERT_EQ(tree.subtree_size(block), below);
    children += static_cast<uint32_t>(tree.children(block).size());
    for (BlockId child : tree.children(block)) ASSERT_EQ(tree.ipdom(child), block);
    if (!reachable[b] || above == 1) {
      ASSERT_TRUE(tree.ipdom(block).is_none());
    } else {
      BlockId up = tree.ipdom(block);
      ASSERT_TRUE(up != block && over[up.index()][b]);
      for (uint32_t a = 0; a < n; ++a) ASSERT_TRUE(a == b || !over[a][b] || over[a][up.index()]);
    }
    if (!reachable[b]) continue;
    ++connected;
    ASSERT_EQ(tree.preorder()[tree.pre_number(block)], block);
  }
  ASSERT_EQ(tree.preorder().size(), connected);
  ASSERT_EQ(children, connected);
}

TEST(PostDominators, OfADiamondInALoop) {
  Program program = program_of({{1}, {2, 3}, {4}, {4}, {1, 5}, {}});
  expect_right(program);
  Cfg cfg(program.function);
  PostDominators tree(program.function, cfg, Order(cfg));
  EXPECT_EQ(tree.ipdom(BlockId(1)), BlockId(4));
  EXPECT_EQ(tree.ipdom(BlockId(4)), BlockId(5));
  EXPECT_TRUE(tree.ipdom(BlockId(5)).is_none());
}

TEST(PostDominators, AGuardedReturnIsAnExit) {
  Program program = program_of({{1}, {2}, {}});
  add_guarded_exit(program.function, BlockId(1));
  program.is_exit[1] = true;
  expect_right(program);
  Cfg cfg(program.function);
  PostDominators tree(program.function, cfg, Order(cfg));
  EXPECT_FALSE(tree.post_dominates(BlockId(2), BlockId(1)));
  EXPECT_TRUE(tree.post_dominates(BlockId(1), BlockId(0)));
}

// Two endless loops, one after the other in a third one's exit.
TEST(PostDominators, OfEndlessLoops) {
  Program program = program_of({{1, 3}, {2}, {1}, {3, 4}, {5}, {4}});
  expect_right(program);
  Cfg cfg(program.function);
  PostDominators tree(program.function, cfg, Order(cfg));
  EXPECT_EQ(tree.exits().size(), 2u);
  EXPECT_EQ(tree.ipdom(BlockId(3)), BlockId(4));
}

TEST(PostDominators, OfADeclarationAreNone) {
  Function function;
  Cfg cfg(function);
  PostDominators tree(function, cfg, Order(cfg));
  EXPECT_TRUE(tree.preorder().empty());
  EXPECT_TRUE(tree.roots().empty());
  EXPECT_TRUE(tree.exits().empty());
}

TEST(PostDominators, OfThousandsOfRandomGraphs) {
  std::mt19937 random(21);
  for (int iteration = 0; iteration < testing::iterations(4000); ++iteration) {
    ASSERT_NO_FATAL_FAILURE(expect_right(random_program(random, iteration % 16 == 0 ? 40 : 12)));
  }
}

TEST(PostDominators, DeepChains) {
  constexpr uint32_t kDepth = 100'000;
  Function function = function_of(testing::chain_with_edges_back(kDepth));
  Cfg cfg(function);
  PostDominators tree(function, cfg, Order(cfg));
  EXPECT_EQ(tree.level(BlockId(0)), kDepth);
  EXPECT_EQ(tree.ipdom(BlockId(0)), BlockId(1));
}

TEST(PostDominators, DeepEndlessChains) {
  constexpr uint32_t kDepth = 100'000;
  Graph graph = testing::chain_with_edges_back(kDepth);
  graph.back() = {1};
  Function function = function_of(graph);
  Cfg cfg(function);
  PostDominators tree(function, cfg, Order(cfg));
  ASSERT_EQ(tree.exits().size(), 1u);
  EXPECT_EQ(tree.exits()[0], BlockId(kDepth - 1));
  EXPECT_EQ(tree.preorder().size(), kDepth);
}

}  // namespace
}  // namespace psi
