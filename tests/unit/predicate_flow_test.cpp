// Predicate-sensitive data flow: examples, and how the scopes compare.
#include "psi/live/predicate_flow.h"

#include <gtest/gtest.h>

#include <optional>
#include <string_view>

#include "flow_testing.h"
#include "iterations.h"
#include "parsing.h"
#include "psi/live/liveness.h"
#include "psi/text/text.h"

namespace psi {
namespace {

using testing::for_each_function;
using testing::kProblems;
using testing::make_ssa;
using testing::program;
using testing::reg_named;

// --- The paper's example ----------------------------------------------------------------------------------

// Johnson and Schlansker 1996, figure 9.
class PredicateFlowFigure9 : public ::testing::Test {
 protected:
  void liveness(FlowScope scope) { flow_.emplace(function_, analyses_, FlowProblem::Liveness, scope); }
  // What is live before the instruction at a position.
  PredicateExpr live_before(uint32_t position, std::string_view name) {
    flow_->enter(function_.entry());
    while (flow_->position() > position) flow_->advance();
    return flow_->state()[reg_named(function_, name).index()];
  }
  // The executions in which a predicate, which has one definition or one that counts, is true.
  PredicateExpr set(std::string_view name) {
    Term term = flow_->predicates()->value(reg_named(function_, name));
    return PredicateAlgebra::expr(flow_->graph().symbol(term));
  }

  Function function_ = testing::parse_function(
      "func $f(%a: i32, %b: i32, %c: i32, %d: i32, %to: ptr) {\n"
      "@start:\n"
      "  %q, %p = cmpp.un.uc.lt.i32 %a, %b\n"
      "  %t = cmpp.uc.lt.i32 %a, %b\n"
      "  %r, %s = cmpp.un.uc.lt.i32 %c, %d if %q\n"
      "  %t = cmpp.on.lt.i32 %c, %d if %q\n"
      "  %q ? %m = mov.i32 1\n"     // 4: h
      "  %p ? %n = mov.i32 2\n"     // 5: i
      "  %q ? store.i32 %m, %to\n"  // 6
      "  %r ? %n = mov.i32 3\n"     // 7: j
      "  %t ? store.i32 %n, %to\n"  // 8: k
      "  ret\n"                     // 9
      "}\n");
  Analyses analyses_{function_};
  std::optional<PredicateFlow> flow_;
};

TEST_F(PredicateFlowFigure9, Liveness) {
  liveness(FlowScope::Local);
  EXPECT_TRUE(live_before(9, "n").empty());
  EXPECT_EQ(live_before(8, "n"), set("t"));
  EXPECT_EQ(live_before(7, "n"), set("p"));
  EXPECT_EQ(live_before(6, "n"), set("p"));
  EXPECT_TRUE(live_before(5, "n").empty());
  EXPECT_TRUE(live_before(7, "m").empty());
  EXPECT_EQ(live_before(6, "m"), set("q"));
  EXPECT_EQ(live_before(5, "m"), set("q"));
  EXPECT_TRUE(live_before(4, "m").empty());
  // A guard is read in all executions. The compare that adds to t leaves alone what it does not write, and
  // reads what it compares where its input is true.
  EXPECT_EQ(live_before(4, "t"), PredicateAlgebra::true_expr());
  EXPECT_EQ(live_before(3, "c"), set("q"));
  EXPECT_EQ(live_before(2, "c"), PredicateAlgebra::true_expr());
  PredicateExpr t = live_before(3, "t");
  EXPECT_FALSE(t.empty());
  set("r").for_each([&](Symbol r) { EXPECT_TRUE(flow_->algebra().is_disjoint(r, t)); });
}

TEST_F(PredicateFlowFigure9, LivenessBlindly) {
  liveness(FlowScope::Blind);
  for (uint32_t position = 0; position <= 8; ++position) {
    EXPECT_EQ(live_before(position, "n"), PredicateAlgebra::true_expr());
    EXPECT_EQ(live_before(position, "m").empty(), position > 6);
  }
}

// --- Examples -------------------------------------------------------------------------------------------

// What holds where a block starts.
FlowState at_start(PredicateFlow& flow, const Function& function, std::string_view block) {
  for (BlockId b : function.layout()) {
    if (function.name(b) != block) continue;
    flow.enter(b);
    while (flow.position() > 0 && flow.advance()) continue;
    return flow.state();
  }
  ADD_FAILURE() << "no block " << block;
  return FlowState();
}

// Branches on the same condition: what one of them makes live the other does not read.
TEST(PredicateFlow, BranchesCorrelate) {
  Function function = testing::parse_function(
      "func $f(%a: i32, %b: i32) -> i32 ssa {\n"
      "@e:\n"
      "  %p = cmp.lt.i32 %a, %b\n"
      "  br %p, @then, @join\n"
      "@then:\n"
      "  br @join\n"
      "@join:\n"
      "  %x = phi [@e: %a], [@then: %b]\n"
      "  br %p, @use, @other\n"
      "@use:\n  ret %x\n"
      "@other:\n  ret 0\n"
      "}\n");
  Analyses analyses(function);
  PredicateFlow flow(function, analyses, FlowProblem::Liveness, FlowScope::Global);
  flow.enter(function.layout()[2]);
  Symbol p = flow.graph().symbol(flow.predicates()->value(reg_named(function, "p")));
  EXPECT_EQ(flow.state()[reg_named(function, "x").index()], PredicateAlgebra::expr(p));
}

// In a loop a predicate differs in each iteration: that x will be read where p holds says nothing of the next
// p. A predicate from outside stays the same.
TEST(PredicateFlow, PredicatesOfOtherIterations) {
  Function function = testing::parse_function(
      "func $f(%a: i32, %outside: i1) -> i32 ssa {\n"
      "@e:\n"
      "  %x = add.i32 %a, 1\n"
      "  %z = add.i32 %a, 2\n"
      "  br @loop\n"
      "@loop:\n"
      "  %i = phi.i32 [@e: 0], [@next: %j]\n"
      "  %p = cmp.lt.i32 %i, 5\n"
      "  %j = add.i32 %i, 1\n"
      "  %p ? %y = add.i32 %x, 1\n"
      "  %outside ? %w = add.i32 %z, 1\n"
      "  %done = cmp.lt.i32 %y, %a\n"
      "  br %done, @exit, @next\n"
      "@next:\n"
      "  br @loop\n"
      "@exit:\n  ret 0\n"
      "}\n");
  Analyses analyses(function);
  PredicateFlow flow(function, analyses, FlowProblem::Liveness, FlowScope::Global);
  FlowState in_next = at_start(flow, function, "next");
  Symbol outside = flow.graph().symbol(flow.predicates()->value(reg_named(function, "outside")));
  EXPECT_EQ(in_next[reg_named(function, "x").index()], PredicateAlgebra::true_expr());
  EXPECT_EQ(in_next[reg_named(function, "z").index()], PredicateAlgebra::expr(outside));
}

TEST(PredicateFlow, AvailableAfterGuardedComputation) {
  Function function = testing::parse_function(
      "func $f(%a: i32, %b: i32, %p: i1) -> i32 {\n"
      "@e:\n"
      "  %x = add.i32 %a, %b\n"
      "  %p ? %a = mov.i32 7\n"
      "  %p ? %y = add.i32 %b, %a\n"
      "  br @next\n"
      "@next:\n"
      "  %z = add.i32 %a, %b\n"
      "  ret %z\n"
      "}\n");
  Analyses analyses(function);
  auto is_available = [&](FlowScope scope) {
    PredicateFlow flow(function, analyses, FlowProblem::AvailableExpressions, scope);
    flow.enter(function.layout()[1]);
    EXPECT_EQ(function.inst(flow.items()[0].inst).op, Opcode::Add);
    return flow.state()[0] == PredicateAlgebra::true_expr();
  };
  EXPECT_TRUE(is_available(FlowScope::Local));
  EXPECT_FALSE(is_available(FlowScope::Blind));
}

// A register of a loop differs in each iteration, also where its new definition is not executed.
TEST(PredicateFlow, NotAvailableInTheNextIteration) {
  Function function = testing::parse_function(
      "func $f(%a: i32) -> i32 ssa {\n"
      "@e:\n  br @loop\n"
      "@loop:\n"
      "  %p = cmp.lt.i32 %a, 5\n"
      "  %p ? %r = add.i32 %a, 1\n"
      "  %s = add.i32 %r, 2\n"
      "  br @loop\n"
      "}\n");
  Analyses analyses(function);
  for (FlowScope scope : {FlowScope::Blind, FlowScope::Local, FlowScope::Global}) {
    PredicateFlow flow(function, analyses, FlowProblem::AvailableExpressions, scope);
    BlockId loop = function.layout()[1];
    uint32_t item = 0;
    while (flow.items()[item].inst != function.insts(loop)[2]) ++item;
    flow.enter(loop);
    while (flow.position() < 2) flow.advance();
    EXPECT_TRUE(flow.state()[item].empty());
    flow.advance();
    EXPECT_EQ(flow.state()[item], PredicateAlgebra::true_expr());
  }
}

// --- Scopes -----------------------------------------------------------------------------------------------

void expect_equal_liveness(const Function& function) {
  Analyses analyses(function);
  PredicateFlow flow(function, analyses, FlowProblem::Liveness, FlowScope::Blind);
  for (BlockId b : function.layout()) {
    flow.enter(b);
    for (uint32_t r = 0; r < function.num_regs(); ++r) {
      ASSERT_EQ(flow.state().contains(r), analyses.get<Liveness>().live_out(b, Reg(r)))
          << b.index() << " " << r;
    }
    while (flow.advance()) continue;
    for (uint32_t r = 0; r < function.num_regs(); ++r) {
      ASSERT_EQ(flow.state().contains(r), analyses.get<Liveness>().live_in(b, Reg(r)))
          << b.index() << " " << r;
    }
  }
}

TEST(PredicateFlow, BlindLivenessIsLiveness) {
  for (uint64_t seed = 0; seed < testing::iterations(100u); ++seed) {
    Module module = generate(program(seed));
    for_each_function(module, [&](Function& function) {
      expect_equal_liveness(function);
      make_ssa(function);
      expect_equal_liveness(function);
      ASSERT_FALSE(HasFailure()) << "seed " << seed << "\n" << print(module, function);
    });
  }
}

// What a scope does not find to hold anywhere, a wider one does not either; what must hold everywhere it
// knows, too.
class ScopePair {
 public:
  ScopePair(const Function& function, FlowProblem problem, FlowScope narrow, FlowScope wide)
      : function_(function),
        analyses_(function),
        problem_(problem),
        narrow_(function, analyses_, problem, narrow),
        wide_(function, analyses_, problem, wide) {}

  void compare() {
    for (BlockId b : function_.layout()) {
      narrow_.enter(b);
      wide_.enter(b);
      do {
        for (uint32_t item = 0; item < narrow_.items().size(); ++item) compare(b, item);
      } while (narrow_.advance() && wide_.advance());
    }
  }

  uint64_t num_better() const { return num_better_; }

 private:
  void compare(BlockId b, uint32_t item) {
    const PredicateExpr &narrow = narrow_.state()[item], &wide = wide_.state()[item];
    bool is_must = psi::is_must(problem_);
    PredicateExpr strongest = is_must ? PredicateAlgebra::true_expr() : PredicateAlgebra::false_expr();
    if (narrow == strongest) {
      EXPECT_EQ(wide, strongest) << "block " << b.index() << ", item " << item;
    } else {
      num_better_ += wide == strongest;
    }
  }

  const Function& function_;
  Analyses analyses_;
  FlowProblem problem_;
  PredicateFlow narrow_;
  PredicateFlow wide_;
  uint64_t num_better_ = 0;
};

TEST(PredicateFlow, WiderScopesKnowMore) {
  uint64_t local_better = 0, local_better_in_ssa = 0, global_better = 0;
  for (uint64_t seed = 0; seed < 60; ++seed) {
    Module module = generate(program(seed));
    for_each_function(module, [&](Function& function) {
      auto compare = [&](FlowScope narrow, FlowScope wide, uint64_t& better) {
        for (FlowProblem problem : kProblems) {
          ScopePair pair(function, problem, narrow, wide);
          pair.compare();
          better += pair.num_better();
          ASSERT_FALSE(HasFailure()) << "seed " << seed << ", problem " << static_cast<int>(problem) << "\n"
                                     << print(module, function);
        }
      };
      compare(FlowScope::Blind, FlowScope::Local, local_better);
      make_ssa(function);
      compare(FlowScope::Blind, FlowScope::Local, local_better_in_ssa);
      compare(FlowScope::Local, FlowScope::Global, global_better);
    });
  }
  EXPECT_GT(local_better, 100u);
  EXPECT_GT(local_better_in_ssa, 100u);
  EXPECT_GT(global_better, 100u);
}

}  // namespace
}  // namespace psi
