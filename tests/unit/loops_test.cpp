#include "psi/analysis/loops.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "analysis_testing.h"
#include "iterations.h"
#include "psi/analysis/cfg.h"
#include "psi/analysis/order.h"

namespace psi {
namespace {

using testing::function_of;
using testing::Graph;

// Positions in preorder of a depth-first search that follows edges in order.
std::vector<uint32_t> preorder_numbers(const Graph& graph) {
  std::vector<uint32_t> number(graph.size(), UINT32_MAX);
  uint32_t next = 0;
  auto visit = [&](auto& self, uint32_t b) -> void {
    number[b] = next++;
    for (uint32_t to : graph[b]) {
      if (number[to] == UINT32_MAX) self(self, to);
    }
  };
  visit(visit, 0);
  return number;
}

// The strongly connected sets of the allowed blocks that have an edge inside.
std::set<std::set<uint32_t>> components(const Graph& graph, const std::vector<bool>& allowed) {
  std::vector<std::vector<bool>> reach;
  for (uint32_t b = 0; b < graph.size(); ++b) reach.push_back(testing::reach(graph, b, allowed));
  std::set<std::set<uint32_t>> found;
  for (uint32_t a = 0; a < graph.size(); ++a) {
    std::set<uint32_t> component;
    for (uint32_t b = 0; b < graph.size(); ++b) {
      if (reach[a][b] && reach[b][a]) component.insert(b);
    }
    bool has_edge = component.size() > 1 || std::ranges::count(graph[a], a) > 0;
    if (!component.empty() && has_edge) found.insert(component);
  }
  return found;
}

std::set<uint32_t> as_set(std::span<const BlockId> blocks) {
  std::set<uint32_t> result;
  for (BlockId b : blocks) result.insert(b.index());
  return result;
}

struct Checker {
  explicit Checker(const Graph& g)
      : graph(g),
        function(function_of(g)),
        cfg(function),
        order(cfg),
        loops(cfg, order),
        reachable(testing::reachable(g)),
        preorder(preorder_numbers(g)) {}

  // The children of a loop (none: the outermost loops) are the components of its blocks without its header.
  void expect_right_children(LoopId parent, std::span<const LoopId> children) {
    std::vector<bool> allowed = reachable;
    if (parent) {
      std::set<uint32_t> blocks = as_set(loops.blocks(parent));
      for (uint32_t b = 0; b < graph.size(); ++b) allowed[b] = blocks.contains(b);
      allowed[loops.header(parent).index()] = false;
    }
    std::set<std::set<uint32_t>> found;
    uint32_t last = 0;
    for (LoopId child : children) {
      ASSERT_EQ(loops.parent(child), parent);
      ASSERT_EQ(loops.depth(child), parent ? loops.depth(parent) + 1 : 1);
      ASSERT_TRUE(!parent || parent.index() < child.index());
      ASSERT_EQ(as_set(loops.blocks(child)).size(), loops.blocks(child).size());
      found.insert(as_set(loops.blocks(child)));
      ASSERT_GT(order.number(loops.header(child)), last);
      last = order.number(loops.header(child));
    }
    ASSERT_EQ(found, components(graph, allowed));
    ASSERT_EQ(found.size(), children.size());
  }

  void expect_right_loop(LoopId loop) {
    std::span<const BlockId> blocks = loops.blocks(loop);
    std::set<uint32_t> expected_entries;
    for (BlockId b : blocks) {
      for (BlockId p : cfg.predecessors(b)) {
        if (reachable[p.index()] && !std::ranges::count(blocks, p)) expected_entries.insert(b.index());
      }
    }
    std::span<const BlockId> entries = loops.entries(loop);
    ASSERT_EQ(as_set(entries), expected_entries);
    ASSERT_EQ(entries.size(), expected_entries.size());
    ASSERT_EQ(loops.is_reducible(loop), expected_entries.size() == 1);
    ASSERT_EQ(entries[0], loops.header(loop));
    ASSERT_EQ(blocks[0], loops.header(loop));
    ASSERT_EQ(loops.of(loops.header(loop)), loop);
    for (BlockId b : blocks) ASSERT_GE(preorder[b.index()], preorder[loops.header(loop).index()]);
    for (size_t i = 1; i < entries.size(); ++i) {
      ASSERT_LT(order.number(entries[i - 1]), order.number(entries[i]));
    }
    for (uint32_t b = 0; b < graph.size(); ++b) {
      ASSERT_EQ(loops.contains(loop, BlockId(b)), std::ranges::count(blocks, BlockId(b)) > 0);
    }
    for (uint32_t i = 0; i < loops.num_loops(); ++i) {
      ASSERT_EQ(loops.contains(loop, LoopId(i)), loops.contains(loop, loops.header(LoopId(i))));
    }
    ASSERT_NO_FATAL_FAILURE(expect_right_children(loop, loops.children(loop)));
  }

  void run() {
    ASSERT_NO_FATAL_FAILURE(expect_right_children(LoopId(), loops.outermost()));
    bool all_reducible = true;
    std::set<uint32_t> headers;
    for (uint32_t i = 0; i < loops.num_loops(); ++i) {
      ASSERT_NO_FATAL_FAILURE(expect_right_loop(LoopId(i)));
      all_reducible &= loops.is_reducible(LoopId(i));
      headers.insert(loops.header(LoopId(i)).index());
    }
    ASSERT_EQ(loops.is_reducible(), all_reducible);
    for (uint32_t i = 0; i < graph.size(); ++i) {
      BlockId b(i);
      LoopId innermost;
      uint32_t depth = 0;
      for (uint32_t k = 0; k < loops.num_loops(); ++k) {
        if (!loops.contains(LoopId(k), b)) continue;
        ++depth;
        if (!innermost || loops.depth(LoopId(k)) > loops.depth(innermost)) innermost = LoopId(k);
      }
      ASSERT_EQ(loops.of(b), innermost);
      ASSERT_EQ(loops.depth(b), depth);
      ASSERT_EQ(loops.is_header(b), headers.contains(i));
      for (uint32_t to : graph[i]) {
        bool back = headers.contains(to) && reachable[i] && loops.contains(loops.of(BlockId(to)), b);
        ASSERT_EQ(loops.is_back_edge(b, BlockId(to)), back);
      }
    }
  }

  Graph graph;
  Function function;
  Cfg cfg;
  Order order;
  Loops loops;
  std::vector<bool> reachable;
  std::vector<uint32_t> preorder;
};

TEST(Loops, InLoops) {
  Checker checker({{1}, {2}, {3, 2}, {1, 4}, {}});
  checker.run();
  const Loops& loops = checker.loops;
  ASSERT_EQ(loops.num_loops(), 2u);
  EXPECT_EQ(loops.header(LoopId(0)), BlockId(1));
  EXPECT_EQ(loops.header(LoopId(1)), BlockId(2));
  EXPECT_EQ(loops.parent(LoopId(1)), LoopId(0));
  EXPECT_EQ(loops.depth(BlockId(2)), 2u);
  EXPECT_EQ(loops.depth(BlockId(3)), 1u);
  EXPECT_TRUE(loops.of(BlockId(4)).is_none());
}

TEST(Loops, WithTwoEntries) {
  Checker checker({{1, 2}, {2}, {1, 3}, {}});
  checker.run();
  ASSERT_EQ(checker.loops.num_loops(), 1u);
  EXPECT_FALSE(checker.loops.is_reducible());
  EXPECT_EQ(checker.loops.entries(LoopId(0)).size(), 2u);
}

TEST(Loops, OfADeclarationAreNone) {
  Function function;
  Cfg cfg(function);
  Loops loops(cfg, Order(cfg));
  EXPECT_EQ(loops.num_loops(), 0u);
  EXPECT_TRUE(loops.outermost().empty());
  EXPECT_TRUE(loops.is_reducible());
}

TEST(Loops, OfThousandsOfRandomGraphs) {
  std::mt19937 random(23);
  for (int iteration = 0; iteration < testing::iterations(5000); ++iteration) {
    Checker checker(testing::random_graph(random, iteration % 16 == 0 ? 40 : 12));
    ASSERT_NO_FATAL_FAILURE(checker.run()) << iteration;
  }
}

TEST(Loops, DeepNests) {
  constexpr uint32_t kDepth = 100'000;
  Function function = function_of(testing::loop_nest(kDepth));
  Cfg cfg(function);
  Loops loops(cfg, Order(cfg));
  ASSERT_EQ(loops.num_loops(), kDepth);
  for (uint32_t i = 0; i < kDepth; ++i) {
    ASSERT_EQ(loops.header(LoopId(i)), BlockId(i + 1));
    ASSERT_EQ(loops.blocks(LoopId(i)).size(), 2 * (kDepth - i));
  }
  EXPECT_TRUE(loops.is_reducible());
  EXPECT_EQ(loops.depth(BlockId(kDepth)), kDepth);
}

TEST(Loops, DeepChains) {
  constexpr uint32_t kDepth = 100'000;
  Function function = function_of(testing::chain_with_edges_back(kDepth));
  Cfg cfg(function);
  Loops loops(cfg, Order(cfg));
  // Each block but the entry and the last two heads the rest of the chain.
  EXPECT_EQ(loops.num_loops(), kDepth - 3);
  EXPECT_EQ(loops.depth(BlockId(kDepth - 2)), kDepth - 3);
}

}  // namespace
}  // namespace psi
