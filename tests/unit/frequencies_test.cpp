#include "psi/analysis/frequencies.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "analysis_testing.h"
#include "iterations.h"
#include "psi/analysis/cfg.h"
#include "psi/analysis/dominators.h"
#include "psi/analysis/loops.h"
#include "psi/analysis/order.h"
#include "psi/ir/module.h"
#include "psi/text/text.h"

namespace psi {
namespace {

using testing::function_of;
using testing::Graph;
using Source = Frequencies::Source;

struct FrequencyAnalysis {
  explicit FrequencyAnalysis(const Function& function)
      : cfg(function), order(cfg), loops(cfg, order), frequencies(function, cfg, order, loops) {}
  double of(uint32_t b) const { return frequencies.of(BlockId(b)); }
  double probability(uint32_t b, uint32_t k) const { return frequencies.probability({BlockId(b), k}); }

  Cfg cfg;
  Order order;
  Loops loops;
  Frequencies frequencies;
};

FrequencyAnalysis analysis_of(const Graph& graph) { return FrequencyAnalysis(function_of(graph)); }

Function parse_body(const std::string& body) {
  Result<Module> module = parse("func $f(%p: i1, %x: i32) {\n" + body + "}\n");
  if (!module) {
    ADD_FAILURE() << render(module, "test", body);
    return {};
  }
  return module->function(module->declarations()[0]);
}

TEST(Frequencies, OfADiamond) {
  FrequencyAnalysis analysis = analysis_of({{1, 2}, {3}, {3}, {}});
  EXPECT_EQ(analysis.frequencies.source(), Source::Estimated);
  EXPECT_DOUBLE_EQ(analysis.of(0), 1);
  EXPECT_DOUBLE_EQ(analysis.of(1), 0.5);
  EXPECT_DOUBLE_EQ(analysis.of(2), 0.5);
  EXPECT_DOUBLE_EQ(analysis.of(3), 1);
}

TEST(Frequencies, OfNestedLoops) {
  FrequencyAnalysis analysis = analysis_of(testing::loop_nest(3));
  EXPECT_NEAR(analysis.of(1), 8, 1e-9);
  EXPECT_NEAR(analysis.of(2), 64, 1e-9);
  EXPECT_NEAR(analysis.of(3), 512, 1e-9);
  EXPECT_NEAR(analysis.of(4), 512, 1e-9);
  EXPECT_NEAR(analysis.of(6), 8, 1e-9);
  EXPECT_NEAR(analysis.of(7), 1, 1e-9);
}

// An inner loop that may leave the outer one as well: both ways out share one eighth.
TEST(Frequencies, OfALoopLeftTwoLevelsAtOnce) {
  FrequencyAnalysis analysis = analysis_of({{1}, {2}, {2, 3, 4}, {1}, {}});
  EXPECT_DOUBLE_EQ(analysis.probability(2, 0), 7.0 / 8);
  EXPECT_DOUBLE_EQ(analysis.probability(2, 1), 1.0 / 16);
  EXPECT_NEAR(analysis.of(1), 2, 1e-9);
  EXPECT_NEAR(analysis.of(2), 16, 1e-9);
  EXPECT_NEAR(analysis.of(3), 1, 1e-9);
  EXPECT_NEAR(analysis.of(4), 1, 1e-9);
}

TEST(Frequencies, ASwitchCountsEveryCase) {
  Function function = parse_body(
      "@entry:\n  switch.i32 %x, @a, [1: @b], [2: @b], [3: @b]\n"
      "@a:\n  ret\n"
      "@b:\n  ret\n");
  FrequencyAnalysis analysis(function);
  EXPECT_DOUBLE_EQ(analysis.of(1), 0.25);
  EXPECT_DOUBLE_EQ(analysis.of(2), 0.75);
}

TEST(Frequencies, WhatIsUnreachableIsUnlikely) {
  Function function = parse_body(
      "@entry:\n  br %p, @a, @b\n"
      "@a:\n  br %p, @c, @d\n"
      "@b:\n  ret\n"
      "@c:\n  unreachable\n"
      "@d:\n  br @c\n");
  FrequencyAnalysis analysis(function);
  EXPECT_DOUBLE_EQ(analysis.of(1), 0x1p-20);
  EXPECT_DOUBLE_EQ(analysis.of(2), 1 - 0x1p-20);
  EXPECT_DOUBLE_EQ(analysis.of(3), 0x1p-20);
  EXPECT_DOUBLE_EQ(analysis.of(4), 0x1p-21);
}

TEST(Frequencies, GuardedTerminatorsAreTakenInTurn) {
  Function function = parse_body(
      "@entry:\n  %p ? br @a\n  !%p ? ret\n  br @b\n"
      "@a:\n  ret\n"
      "@b:\n  ret\n");
  FrequencyAnalysis analysis(function);
  EXPECT_DOUBLE_EQ(analysis.of(1), 0.5);
  EXPECT_DOUBLE_EQ(analysis.of(2), 0.25);
}

// A guarded branch that leaves a loop is as unlikely as one with a condition, and so is a return.
TEST(Frequencies, GuardedExitsOfLoops) {
  Function function = parse_body(
      "@entry:\n  br @loop\n"
      "@loop:\n  %p ? br @end\n  br @loop\n"
      "@end:\n  br @other\n"
      "@other:\n  %p ? ret\n  br @other\n");
  FrequencyAnalysis analysis(function);
  EXPECT_NEAR(analysis.of(1), 8, 1e-9);
  EXPECT_NEAR(analysis.of(2), 1, 1e-9);
  EXPECT_NEAR(analysis.of(3), 8, 1e-9);
}

TEST(Frequencies, FromCountsOfAllBlocks) {
  Function function = parse_body(
      "@entry: count 10\n  br %p, @a, @b\n"
      "@a: count 3\n  ret\n"
      "@b: count 70\n  ret\n");
  FrequencyAnalysis analysis(function);
  EXPECT_EQ(analysis.frequencies.source(), Source::Counts);
  EXPECT_DOUBLE_EQ(analysis.of(0), 1);
  EXPECT_DOUBLE_EQ(analysis.of(1), 0.3);
  EXPECT_DOUBLE_EQ(analysis.of(2), 7);
}

TEST(Frequencies, CountsOfSomeBlocksDoNotDecide) {
  Function function = parse_body(
      "@entry: count 10\n  br %p, @a, @b\n"
      "@a: count 3\n  ret\n"
      "@b:\n  ret\n");
  FrequencyAnalysis analysis(function);
  EXPECT_EQ(analysis.frequencies.source(), Source::Estimated);
  EXPECT_DOUBLE_EQ(analysis.of(1), 0.5);
}

TEST(Frequencies, AnEntryNeverExecutedDoesNotDecide) {
  Function function = parse_body("@entry: count 0\n  br @a\n@a: count 0\n  ret\n");
  FrequencyAnalysis analysis(function);
  EXPECT_EQ(analysis.frequencies.source(), Source::Estimated);
  EXPECT_DOUBLE_EQ(analysis.of(1), 1);
}

TEST(Frequencies, FromCountsOfEdges) {
  Function function = parse_body(
      "@entry:\n  br @loop\n"
      "@loop:\n  br %p, @loop, @end, counts 99 1\n"
      "@end:\n  br %p, @a, @b\n"
      "@a:\n  ret\n"
      "@b:\n  ret\n");
  FrequencyAnalysis analysis(function);
  EXPECT_EQ(analysis.frequencies.source(), Source::EdgeCounts);
  EXPECT_NEAR(analysis.of(1), 100, 1e-9);
  EXPECT_NEAR(analysis.of(2), 1, 1e-9);
  EXPECT_NEAR(analysis.of(4), 0.5, 1e-9);
}

TEST(Frequencies, CountsOfAGroup) {
  // Without the count of the block, the targets' counts tell how often each terminator was tried.
  FrequencyAnalysis branches(
      parse_body("@entry:\n  %p ? br @a, counts 10\n  br %p, @b, @c, counts 20 10\n"
                 "@a:\n  ret\n@b:\n  ret\n@c:\n  ret\n"));
  EXPECT_DOUBLE_EQ(branches.of(1), 0.25);
  EXPECT_DOUBLE_EQ(branches.of(2), 0.5);
  EXPECT_DOUBLE_EQ(branches.of(3), 0.25);
  // With it, also how often a return was taken.
  FrequencyAnalysis returns(
      parse_body("@entry: count 100\n  %p ? ret\n  br %p, @a, @b, counts 20 60\n"
                 "@a:\n  ret\n@b:\n  ret\n"));
  EXPECT_DOUBLE_EQ(returns.of(1), 0.2);
  EXPECT_DOUBLE_EQ(returns.of(2), 0.6);
  // That of one in the middle is what those before it left, and those after it did not get.
  FrequencyAnalysis middle(
      parse_body("@entry: count 100\n  %p ? br @a, counts 10\n  !%p ? ret\n  br @b, counts 30\n"
                 "@a:\n  ret\n@b:\n  ret\n"));
  EXPECT_DOUBLE_EQ(middle.of(1), 0.1);
  EXPECT_DOUBLE_EQ(middle.of(2), 0.3);
  // Where they do not tell, a guard is true every other time.
  FrequencyAnalysis unknown(
      parse_body("@entry:\n  %p ? ret\n  br %p, @a, @b, counts 20 60\n"
                 "@a:\n  ret\n@b:\n  ret\n"));
  EXPECT_DOUBLE_EQ(unknown.of(1), 0.125);
  EXPECT_DOUBLE_EQ(unknown.of(2), 0.375);
}

TEST(Frequencies, OfEndlessLoopsAreCapped) {
  FrequencyAnalysis analysis = analysis_of({{1, 3}, {2}, {1}, {}});
  EXPECT_DOUBLE_EQ(analysis.of(1), Frequencies::kMaxScale / 2);
  EXPECT_DOUBLE_EQ(analysis.of(3), 0.5);
}

// The loop of 1 and 2 is entered at both; 2 is a loop of its own inside. All that enters counts as entering
// at 1.
TEST(Frequencies, OfAnIrreducibleLoop) {
  FrequencyAnalysis analysis = analysis_of({{1, 2}, {2}, {2, 1, 3}, {}});
  ASSERT_FALSE(analysis.loops.is_reducible());
  EXPECT_NEAR(analysis.of(1), 2, 1e-9);
  EXPECT_NEAR(analysis.of(2), 16, 1e-9);
  EXPECT_NEAR(analysis.of(3), 1, 1e-9);
}

TEST(Frequencies, OfADeclarationAreNone) {
  FrequencyAnalysis analysis{Function()};
  EXPECT_EQ(analysis.frequencies.source(), Source::Estimated);
}

// Edges forwards, and edges back to blocks that dominate their source, so that every loop is reducible; every
// block reaches a return.
Graph random_reducible_graph(std::mt19937& random, uint32_t max_blocks) {
  uint32_t n = 2 + random() % (max_blocks - 1);
  Graph graph(n);
  for (uint32_t b = 0; b + 1 < n; ++b) {
    for (uint32_t k = 1 + random() % 3; k > 0; --k) graph[b].push_back(b + 1 + random() % (n - b - 1));
  }
  Dominators dominators((Cfg(function_of(graph))));
  for (uint32_t b = 1; b + 1 < n; ++b) {
    uint32_t to = 1 + random() % b;
    if (random() % 2 == 0 && dominators.is_reachable(BlockId(b)) &&
        dominators.dominates(BlockId(to), BlockId(b))) {
      graph[b].insert(graph[b].begin() + random() % (graph[b].size() + 1), to);
    }
  }
  return graph;
}

// What goes into a block is what it is executed.
TEST(Frequencies, AreConservedInReducibleGraphs) {
  std::mt19937 random(25);
  uint32_t checked = 0;
  for (int iteration = 0; iteration < 4000; ++iteration) {
    Function function = function_of(random_reducible_graph(random, iteration % 8 == 0 ? 50 : 12));
    if (iteration % 4 == 0) {
      for (uint32_t b = 0; b < function.num_blocks(); ++b) {
        for (InstId id : function.terminators(BlockId(b))) {
          std::vector<uint64_t> counts;
          function.for_each_target(function.inst(id), [&](BlockId) { counts.push_back(1 + random() % 9); });
          if (!counts.empty() && random() % 2 == 0) function.set_edge_counts(id, counts);
        }
      }
    }
    FrequencyAnalysis analysis(function);
    ASSERT_TRUE(analysis.loops.is_reducible());
    std::vector<double> inflow(function.num_blocks());
    std::vector<double> outside(function.num_blocks());  // without edges back
    inflow[0] = outside[0] = 1;
    for (BlockId b : analysis.order.reverse_post_order()) {
      double sum = 0;
      for (uint32_t k = 0; k < analysis.cfg.successors(b).size(); ++k) {
        BlockId to = analysis.cfg.successors(b)[k];
        inflow[to.index()] += analysis.frequencies.of(Edge{b, k});
        if (!analysis.loops.is_back_edge(b, to)) outside[to.index()] += analysis.frequencies.of(Edge{b, k});
        sum += analysis.frequencies.probability({b, k});
      }
      if (!analysis.cfg.successors(b).empty()) {
        ASSERT_NEAR(sum, 1, 1e-9);
      }
    }
    bool is_capped = false;
    for (uint32_t i = 0; i < analysis.loops.num_loops(); ++i) {
      uint32_t header = analysis.loops.header(LoopId(i)).index();
      is_capped |= analysis.of(header) > 0.999 * Frequencies::kMaxScale * outside[header];
    }
    if (is_capped) continue;
    ++checked;
    for (BlockId b : analysis.order.reverse_post_order()) {
      double frequency = analysis.frequencies.of(b);
      ASSERT_NEAR(inflow[b.index()], frequency, 1e-6 * frequency) << b.index();
    }
  }
  EXPECT_GT(checked, 3800u);
}

TEST(Frequencies, OfAnyGraphAreFinite) {
  std::mt19937 random(26);
  for (int iteration = 0; iteration < testing::iterations(2000); ++iteration) {
    FrequencyAnalysis analysis = analysis_of(testing::random_graph(random, 30));
    ASSERT_EQ(analysis.of(0), 1);
    for (uint32_t b = 0; b < analysis.cfg.num_blocks(); ++b) {
      ASSERT_TRUE(std::isfinite(analysis.of(b)));
      ASSERT_EQ(analysis.of(b) > 0, analysis.order.is_reachable(BlockId(b))) << b;
    }
  }
}

TEST(Frequencies, DeepNests) {
  constexpr uint32_t kDepth = 100'000;
  FrequencyAnalysis analysis = analysis_of(testing::loop_nest(kDepth));
  EXPECT_NEAR(analysis.of(1), 8, 1e-9);
  EXPECT_EQ(analysis.of(kDepth), Frequencies::kMaxFrequency);
  EXPECT_NEAR(analysis.of(2 * kDepth + 1), 1, 1e-9);
}

}  // namespace
}  // namespace psi
