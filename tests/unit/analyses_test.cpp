#include "psi/pass/analyses.h"

#include <gtest/gtest.h>

#include "analysis_testing.h"
#include "psi/analysis/augmented_tree.h"
#include "psi/analysis/cfg.h"
#include "psi/analysis/control_dependence.h"
#include "psi/analysis/dj_graph.h"
#include "psi/analysis/dominators.h"
#include "psi/analysis/frequencies.h"
#include "psi/analysis/frontiers.h"
#include "psi/analysis/loops.h"
#include "psi/analysis/order.h"
#include "psi/analysis/post_dominators.h"
#include "psi/analysis/uses.h"
#include "psi/live/liveness.h"

namespace psi {
namespace {

using testing::function_of;

// 0 -> 1 -> 2, and 1 leads back to itself if the predicate, register 0, is true.
Function loop() {
  Function function = function_of({{1}, {1, 2}, {}});
  function.form = Form::Ssa;
  function.params = {Reg(0)};
  return function;
}

// Register 0 is not read any more, and block 1 leads on to block 2 alone.
void straighten(Function& function) {
  std::vector<InstId> branch(function.insts(BlockId(0)).begin(), function.insts(BlockId(0)).end());
  function.operands(branch[0])[0] = Operand::block(BlockId(2));
  function.set_insts(BlockId(1), branch);
  function.set_layout({BlockId(1), BlockId(2)});
}

void ask_everything(Analyses& analyses) {
  analyses.get<Cfg>();
  analyses.get<Order>();
  analyses.get<Dominators>();
  analyses.get<DjGraph>();
  analyses.get<AugmentedTree>();
  analyses.get<PostDominators>();
  analyses.get<DominanceFrontiers>();
  analyses.get<Loops>();
  analyses.get<ControlDependence>();
  analyses.get<Frequencies>();
  analyses.get<Uses>();
  analyses.get<Liveness>();
  analyses.get<LivenessQuery>();
}

void expect_graph_of_loop(Analyses& analyses) {
  EXPECT_EQ(analyses.get<Cfg>().num_edges(), 3u);
  EXPECT_EQ(analyses.get<Order>().num_reachable(), 3u);
  EXPECT_EQ(analyses.get<Dominators>().idom(BlockId(1)), BlockId(0));
  EXPECT_EQ(analyses.get<PostDominators>().ipdom(BlockId(0)), BlockId(1));
  EXPECT_EQ(analyses.get<DominanceFrontiers>().total_size(), 1u);
  EXPECT_EQ(analyses.get<Loops>().num_loops(), 1u);
  EXPECT_EQ(analyses.get<ControlDependence>().total_size(), 1u);
  EXPECT_GT(analyses.get<Frequencies>().of(BlockId(1)), 1);
}

void expect_graph_of_line(Analyses& analyses) {
  EXPECT_EQ(analyses.get<Cfg>().num_edges(), 1u);
  EXPECT_EQ(analyses.get<Order>().num_reachable(), 2u);
  EXPECT_TRUE(analyses.get<Dominators>().idom(BlockId(1)).is_none());
  EXPECT_TRUE(analyses.get<PostDominators>().ipdom(BlockId(0)).is_none());
  EXPECT_EQ(analyses.get<DominanceFrontiers>().total_size(), 0u);
  EXPECT_EQ(analyses.get<Loops>().num_loops(), 0u);
  EXPECT_EQ(analyses.get<ControlDependence>().total_size(), 0u);
  EXPECT_EQ(analyses.get<Frequencies>().of(BlockId(1)), 1);
}

void expect_registers(Analyses& analyses, bool read) {
  EXPECT_EQ(analyses.get<Uses>().is_used(Reg(0)), read);
  EXPECT_EQ(analyses.get<Liveness>().live_in(BlockId(1), Reg(0)), read);
  EXPECT_EQ(analyses.get<LivenessQuery>().is_live_in(BlockId(1), Reg(0)), read);
}

TEST(Analyses, AreKeptUntilDropped) {
  Function function = loop();
  Analyses analyses(function);
  ask_everything(analyses);
  straighten(function);
  expect_graph_of_loop(analyses);
  expect_registers(analyses, true);
  analyses.drop(Keeps::All);
  expect_graph_of_loop(analyses);
  expect_registers(analyses, true);
}

TEST(Analyses, OfTheGraphOutliveThoseOfRegisters) {
  Function function = loop();
  Analyses analyses(function);
  ask_everything(analyses);
  straighten(function);
  analyses.drop(Keeps::ControlFlow);
  expect_graph_of_loop(analyses);
  expect_registers(analyses, false);
}

TEST(Analyses, AreAllDropped) {
  Function function = loop();
  Analyses analyses(function);
  ask_everything(analyses);
  straighten(function);
  analyses.drop(Keeps::Nothing);
  expect_graph_of_line(analyses);
  expect_registers(analyses, false);
}

}  // namespace
}  // namespace psi
