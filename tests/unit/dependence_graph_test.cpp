// Dependence edges of a block: of examples, and of random programs that are reordered as the edges allow.
#include "psi/live/dependence_graph.h"

#include <gtest/gtest.h>

#include <vector>

#include "flow_testing.h"
#include "parsing.h"
#include "testing/random.h"

namespace psi {
namespace {

using Kind = Dependence::Kind;

bool depends(const DependenceGraph& graph, uint32_t from, uint32_t to, Kind kind) {
  for (const Dependence& d : graph.into(to)) {
    if (d.from == from && d.kind == kind) return true;
  }
  return false;
}

bool depends(const DependenceGraph& graph, uint32_t from, uint32_t to) {
  for (const Dependence& d : graph.into(to)) {
    if (d.from == from) return true;
  }
  return false;
}

DependenceGraph graph_of(std::string_view text, FlowScope scope = FlowScope::Local) {
  Function function = testing::parse_function(text);
  return DependenceGraph(function, function.entry(), scope);
}

// Johnson and Schlansker 1996, figure 1 (c), where uses are additions to registers that nobody reads.
constexpr std::string_view kFigure1 =
    "func $f(%a: i32, %b: i32, %c: i32, %d: i32, %y: i32) {\n"
    "@u:\n"
    "  %p, %q = cmpp.uc.un.lt.i32 %a, %b\n"        // 0
    "  %t = cmpp.uc.lt.i32 %a, %b\n"               // 1
    "  %p ? %x = mov.i32 1\n"                      // 2
    "  %q ? %x = mov.i32 2\n"                      // 3
    "  %r, %s = cmpp.un.uc.ne.i32 %c, %d if %q\n"  // 4
    "  %t = cmpp.on.ne.i32 %c, %d if %q\n"         // 5
    "  %s ? %x = mov.i32 3\n"                      // 6
    "  %r ? %v = add.i32 %y, 1\n"                  // 7
    "  %t ? %w = add.i32 %x, 1\n"                  // 8
    "  ret\n"
    "}\n";

TEST(DependenceGraph, Figure1) {
  DependenceGraph graph = graph_of(kFigure1), blind = graph_of(kFigure1, FlowScope::Blind);
  EXPECT_FALSE(depends(graph, 2, 3));  // p and q are disjoint
  EXPECT_FALSE(depends(graph, 2, 6));
  EXPECT_TRUE(depends(graph, 3, 6, Kind::Output));
  EXPECT_TRUE(depends(graph, 2, 8, Kind::Flow));
  EXPECT_TRUE(depends(graph, 3, 8, Kind::Flow));
  EXPECT_FALSE(depends(graph, 6, 8));  // s and t are disjoint
  EXPECT_TRUE(depends(graph, 1, 5, Kind::Output));
  EXPECT_TRUE(depends(blind, 2, 3, Kind::Output));
  EXPECT_TRUE(depends(blind, 6, 8, Kind::Flow));
  EXPECT_EQ(graph.height(), 3u);
  EXPECT_EQ(blind.height(), 5u);
}

TEST(DependenceGraph, ParallelComparesHaveNoOrder) {
  DependenceGraph graph = graph_of(
      "func $f(%a: i32, %b: i32) -> i1 {\n"
      "@e:\n"
      "  %t = mov.i1 false\n"          // 0
      "  %t = cmpp.on.lt.i32 %a, 1\n"  // 1
      "  %t = cmpp.oc.lt.i32 %b, 1\n"  // 2
      "  %t = cmpp.on.lt.i32 %a, 1\n"  // 3
      "  %t = cmpp.an.lt.i32 %a, 7\n"  // 4
      "  %t = cmpp.ac.lt.i32 %b, 7\n"  // 5
      "  %u = mov.i1 %t\n"             // 6
      "  %t = cmpp.on.lt.i32 %b, 9\n"  // 7
      "  %t = mov.i1 %u\n"             // 8
      "  ret %t\n"                     // 9
      "}\n");
  for (uint32_t i : {1u, 2u, 3u}) {
    EXPECT_TRUE(depends(graph, 0, i, Kind::Output)) << i;
    EXPECT_TRUE(depends(graph, i, 6, Kind::Flow)) << i;
    EXPECT_TRUE(depends(graph, i, 8, Kind::Output)) << i;
    for (uint32_t j : {1u, 2u, 3u}) EXPECT_FALSE(depends(graph, i, j));
  }
  EXPECT_FALSE(depends(graph, 4, 5));
  EXPECT_FALSE(depends(graph, 1, 4));  // true where a < 1, false where not a < 7
  EXPECT_TRUE(depends(graph, 2, 4, Kind::Output));
  EXPECT_TRUE(depends(graph, 6, 7, Kind::Anti));
  EXPECT_TRUE(depends(graph, 6, 8, Kind::Anti));
  EXPECT_TRUE(depends(graph, 8, 9, Kind::Flow));
  EXPECT_FALSE(depends(graph, 7, 9, Kind::Flow));
}

TEST(DependenceGraph, MemoryAndControl) {
  constexpr std::string_view text =
      "extern func $g()\n"
      "func $f(%p: i1, %a: ptr, %b: ptr, %n: i32) -> i32 {\n"
      "@e:\n"
      "  %p ? store.i32 1, %a\n"       // 0
      "  !%p ? store.i32 2, %b\n"      // 1
      "  %x = load.i32 %a\n"           // 2
      "  !%p ? %y = load.i32 %b\n"     // 3
      "  %z = load.volatile.i32 %b\n"  // 4
      "  %w = sdiv.i32 %n, %x\n"       // 5
      "  call $g()\n"                  // 6
      "  %v = sdiv.i32 %n, %y\n"       // 7
      "  %u = add.i32 %n, %y\n"        // 8
      "  !%p ? %t = mov.i32 %n\n"      // 9
      "  %p ? ret %v\n"                // 10
      "  ret %u\n"                     // 11
      "}\n";
  Module module = testing::parse_or_die(text);
  const Function& function = *module.find_function("f");
  DependenceGraph graph(function, function.entry(), FlowScope::Local);
  EXPECT_FALSE(depends(graph, 0, 1));
  EXPECT_TRUE(depends(graph, 0, 2, Kind::Memory));
  EXPECT_FALSE(depends(graph, 0, 3));
  EXPECT_TRUE(depends(graph, 1, 3, Kind::Memory));
  EXPECT_FALSE(depends(graph, 2, 3));
  EXPECT_TRUE(depends(graph, 2, 4, Kind::Memory));
  EXPECT_TRUE(depends(graph, 4, 6, Kind::Memory));
  EXPECT_FALSE(depends(graph, 5, 6));
  EXPECT_TRUE(depends(graph, 6, 7, Kind::Control));
  EXPECT_FALSE(depends(graph, 6, 8));
  EXPECT_TRUE(depends(graph, 6, 9, Kind::Control));  // the guard may be undefined
  for (uint32_t i = 0; i < 10; ++i) EXPECT_TRUE(depends(graph, i, 10, Kind::Control));
  EXPECT_TRUE(depends(graph, 10, 11, Kind::Control));
  DependenceGraph blind(function, function.entry(), FlowScope::Blind);
  EXPECT_TRUE(depends(blind, 0, 1, Kind::Memory));
  EXPECT_TRUE(depends(blind, 0, 3, Kind::Memory));
}

TEST(DependenceGraph, PhisStayFirst) {
  Function function = testing::parse_function(
      "func $f(%a: i32) ssa {\n"
      "@e:\n  br @l\n"
      "@l:\n"
      "  %x = phi [@e: %a], [@l: %y]\n"
      "  %y = phi.i32 [@e: 0], [@l: %x]\n"
      "  %z = add.i32 %a, 1\n"
      "  br @l\n"
      "}\n");
  DependenceGraph loop(function, function.layout()[1], FlowScope::Local);
  EXPECT_TRUE(depends(loop, 0, 1, Kind::Control));
  EXPECT_TRUE(depends(loop, 1, 2, Kind::Control));
  EXPECT_EQ(loop.height(), 1u);
}

// --- Random programs --------------------------------------------------------------------------------------

// Any order of each block that the edges allow.
class Reorder {
 public:
  explicit Reorder(FlowScope scope) : scope_(scope) {}

  // The same function, the same order.
  void operator()(Function& function, Analyses&) {
    random_ = Random(function.num_insts());
    for (BlockId b : function.layout()) reorder(function, b);
  }

  uint64_t num_moved() const { return num_moved_; }

 private:
  void reorder(Function& function, BlockId b) {
    DependenceGraph graph(function, b, scope_);
    std::vector<InstId> old(function.insts(b).begin(), function.insts(b).end()), now;
    std::vector<uint32_t> waits_for(old.size());
    std::vector<std::vector<uint32_t>> next(old.size());
    for (const Dependence& d : graph.all()) {
      ++waits_for[d.to];
      next[d.from].push_back(d.to);
    }
    std::vector<uint32_t> ready;
    for (uint32_t i = 0; i < old.size(); ++i) {
      if (waits_for[i] == 0) ready.push_back(i);
    }
    while (!ready.empty()) {
      std::swap(ready[random_.below(static_cast<uint32_t>(ready.size()))], ready.back());
      uint32_t i = ready.back();
      ready.pop_back();
      num_moved_ += i != now.size();
      now.push_back(old[i]);
      for (uint32_t to : next[i]) {
        if (--waits_for[to] == 0) ready.push_back(to);
      }
    }
    ASSERT_EQ(now.size(), old.size());
    function.set_insts(b, now);
  }

  FlowScope scope_;
  Random random_{0};
  uint64_t num_moved_ = 0;
};

void check_reordering(FlowScope scope, bool ssa, uint64_t seed) {
  Reorder reorder(scope);
  testing::expect_same_behaviour(std::ref(reorder), ssa, seed, 300);
  EXPECT_GT(reorder.num_moved(), 1000u);
}

TEST(DependenceGraph, ReorderedPrograms) { check_reordering(FlowScope::Local, false, 101); }
TEST(DependenceGraph, ReorderedProgramsBlindly) { check_reordering(FlowScope::Blind, false, 102); }
TEST(DependenceGraph, ReorderedProgramsInSsaForm) { check_reordering(FlowScope::Local, true, 103); }

}  // namespace
}  // namespace psi
