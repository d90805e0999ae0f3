#include "psi/psi_transforms/speculate.h"

#include <gtest/gtest.h>

#include <map>

#include "destruct_testing.h"
#include "iterations.h"
#include "parsing.h"
#include "psi_programs.h"

namespace psi {
namespace {

using testing::is_valid;
using testing::parse_or_die;
using testing::PsiProgram;
using testing::PsiRuns;
using testing::run_recorded;
using Goal = SpeculateOptions::Goal;

constexpr std::array kGoals = {Goal::Both, Goal::Predicates, Goal::Height, Goal::All};

Counters speculate_all(Module& module, Goal goal, Remarks* remarks = nullptr) {
  Counters counters;
  testing::for_each_body(module, [&](Function& function) {
    Analyses analyses(function);
    speculate(module, function, analyses, {goal}, counters, remarks);
  });
  EXPECT_TRUE(is_valid(module));
  return counters;
}

uint64_t height_of(const Module& module) {
  const Function& function = *module.find_function("f");
  Analyses analyses(function);
  return dependence_height(function, analyses);
}

// $f of some numbers gives the same as before; undef is one of them.
::testing::AssertionResult refined(const Module& before, const Module& after) {
  SymbolId f = before.find_function("f")->symbol;
  for (int64_t a : {-7, -1, 0, 1, 2, 4, 6, 9, 10, 11, 30}) {
    for (bool undef : {false, true}) {
      std::array arguments = {Value{static_cast<uint64_t>(a) & value_mask(Type::i32), undef}};
      Result<void> refined = refines(run_recorded(before, f, arguments), run_recorded(after, f, arguments));
      if (!refined) {
        return ::testing::AssertionFailure() << refined.message() << " for " << a << "\n" << print(after);
      }
    }
  }
  return ::testing::AssertionSuccess();
}

TEST(Speculate, RandomPrograms) {
  std::map<std::string, uint64_t> counts;
  for (uint64_t seed = 0; seed < testing::iterations(400u); ++seed) {
    PsiProgram program(seed, {.phis = seed % 2 == 0});
    if (!verifies(program.module())) continue;
    PsiRuns runs(program);
    for (Goal goal : kGoals) {
      Module module = program.module();
      Counters counters = speculate_all(module, goal);
      ASSERT_TRUE(runs.are_refined_by(module)) << "seed " << seed << "\n" << print(program.module());
      if (goal == Goal::Height) {
        EXPECT_LE(counters["height after"], counters["height before"]);
        EXPECT_GE(counters["height after"], height_of(module));
      }
      for (const auto& [name, count] : counters.all()) counts[name] += count;
      // Predicates that guarded others may do without their own guards then.
      if (goal == Goal::All) continue;
      std::string once = print(module);
      speculate_all(module, goal);
      EXPECT_EQ(print(module), once) << "seed " << seed;
    }
  }
  for (const char* name : {"guards removed", "guards promoted", "predicates removed", "refused"}) {
    EXPECT_GT(counts[name], 20u) << name;
  }
}

constexpr std::string_view kFigure8 = R"(func $f(%i: i32) -> i32 ssa {
@entry:
  %p = cmp.lt.i32 %i, 10
  %q = cmp.ge.i32 %i, 10
  %p ? %a1 = add.i32 %i, 1
  %q ? %a2 = add.i32 %i, 2
  %x = psi %p ? %a1, %q ? %a2
  ret %x
}
)";

TEST(Speculate, RemovesAPredicate) {
  Module module = parse_or_die(kFigure8), before = module;
  Counters counters = speculate_all(module, Goal::Predicates);
  EXPECT_EQ(print(module), R"(func $f(%i: i32) -> i32 ssa {
@entry:
  %q = cmp.ge.i32 %i, 10
  %a1 = add.i32 %i, 1
  %q ? %a2 = add.i32 %i, 2
  %x = psi %a1, %q ? %a2
  ret %x
}
)");
  EXPECT_EQ(counters["predicates removed"], 1u);
  EXPECT_EQ(counters["guards removed"], 1u);
  EXPECT_EQ(counters["guards promoted"], 1u);
  EXPECT_TRUE(refined(before, module));
}

TEST(Speculate, AllThatCanBe) {
  Module module = parse_or_die(kFigure8), before = module;
  EXPECT_EQ(speculate_all(module, Goal::All)["guards removed"], 2u);
  EXPECT_TRUE(refined(before, module));
}

// %p is computed from %r alone, so %r goes, too; %s is read by the store.
TEST(Speculate, RemovesWhatOnlyRemovedPredicatesRead) {
  Module module = parse_or_die(R"(global $g { i32 0 }
func $f(%i: i32) -> i32 ssa {
@entry:
  %r = cmp.lt.i32 %i, 10
  %s = cmp.lt.i32 %i, 20
  %p = and.i1 %r, %s
  %p ? %a = add.i32 %i, 1
  %b = mul.i32 %a, 3
  %s ? store.i32 %i, $g
  %x = psi %i, %s ? %i
  ret %x
}
)");
  Module before = module;
  EXPECT_EQ(speculate_all(module, Goal::Predicates)["predicates removed"], 2u);
  EXPECT_TRUE(refined(before, module));
}

// One definition under %p may trap, so %p must be computed.
TEST(Speculate, KeepsGuardsOfWhatMayTrap) {
  constexpr std::string_view kText = R"(global $g { i32 7 }
func $f(%i: i32) -> i32 ssa {
@entry:
  %p = cmp.ne.i32 %i, 0
  %p ? %a = add.i32 %i, 1
  %p ? %b = INST
  %x = psi %a, %p ? %b
  %y = psi %p ? %x
  %z = psi %i, %p ? %y
  ret %z
}
)";
  auto text = [&](std::string_view inst) {
    std::string result(kText);
    return result.replace(result.find("INST"), 4, inst);
  };
  for (std::string_view inst : {"sdiv.i32 100, %i", "udiv.i32 %i, %i", "srem.i32 %i, -1", "load.i32 $g",
                                "load.volatile.deref.i32 $g"}) {
    Module module = parse_or_die(text(inst)), before = module;
    Remarks remarks;
    EXPECT_EQ(speculate_all(module, Goal::All, &remarks)["guards removed"], 1u) << inst;
    EXPECT_TRUE(refined(before, module)) << inst;
    ASSERT_FALSE(remarks.all().empty());
    EXPECT_EQ(remarks.all()[0].message, "not speculated: it may trap, or has an effect");
    EXPECT_EQ(remarks.all()[0].subject, "%b");
  }
  for (std::string_view inst :
       {"sdiv.i32 %i, 10", "urem.i32 %i, -1", "load.deref.i32 $g", "fptosi.f32.i32 1e20"}) {
    Module module = parse_or_die(text(inst)), before = module;
    EXPECT_EQ(speculate_all(module, Goal::All)["guards removed"], 2u) << inst;
    EXPECT_TRUE(refined(before, module)) << inst;
  }
}

// The address is computed under the same guard, so elsewhere it is undef.
TEST(Speculate, KeepsGuardsOfLoadsFromAddressesThatMayBeUndef) {
  Module module = parse_or_die(R"(global $g { i32 7 }
func $f(%i: i32) -> i32 ssa {
@entry:
  %p = cmp.ne.i32 %i, 0
  !%p ? %never = udiv.i32 1, %i
  %p ? %n = zext.i32.i64 %i
  %p ? %o = and.i64 %n, 0
  %s = load.i32 $g
  %q = cmp.eq.i32 %i, 5
  %q ? %a = ptradd $g, %o
  %q ? %b = load.deref.i32 %a
  %x = psi %i, %q ? %b
  ret %x
}
)");
  Module before = module;
  speculate_all(module, Goal::All);
  EXPECT_TRUE(refined(before, module));
  EXPECT_NE(print(module).find("%q ? %b = load"), std::string::npos) << print(module);
}

// The chain to %c waits for %p, which is not ready before the third step.
constexpr std::string_view kChain = R"(func $f(%i: i32) -> i32 ssa {
@entry:
  %s = mul.i32 %i, 3
  %t = add.i32 %s, 7
  %p = cmp.lt.i32 %t, 10
  %p ? %a = add.i32 %i, 1
  %p ? %b = mul.i32 %a, %a
  %p ? %c = sub.i32 %b, %i
  %x = psi %i, %p ? %c
  ret %x
}
)";

TEST(Speculate, ShortensChains) {
  Module module = parse_or_die(kChain), before = module;
  EXPECT_EQ(height_of(module), 7u);
  Counters counters = speculate_all(module, Goal::Height);
  EXPECT_EQ(counters["height before"], 7u);
  EXPECT_EQ(counters["height after"], height_of(module));
  EXPECT_LE(height_of(module), 6u);
  EXPECT_TRUE(refined(before, module));
}

// The copy that the psi would need takes as long as the wait for the guard.
TEST(Speculate, LeavesGuardsThatCostNothing) {
  Module module = parse_or_die(R"(func $f(%i: i32) -> i32 ssa {
@entry:
  %p = cmp.lt.i32 %i, 10
  %p ? %a = add.i32 %i, 1
  %x = psi %i, %p ? %a
  ret %x
}
)");
  EXPECT_EQ(height_of(module), 3u);
  Counters counters = speculate_all(module, Goal::Height);
  EXPECT_EQ(counters["guards removed"], 0u);
  EXPECT_EQ(counters["height after"], 3u);
}

// Where %i is 10 or more, the program does not read %q; a psi of %q may count on that.
TEST(Speculate, KeepsGuardsOfPredicatesThatPsisCountOn) {
  Module module = parse_or_die(R"(func $f(%i: i32) -> i32 ssa {
@entry:
  %p = cmp.lt.i32 %i, 10
  %p ? %q = cmp.ne.i32 %i, 5
  %q ? %a = add.i32 %i, 1
  %x = psi %i, %q ? %a
  ret %x
}
)");
  Module before = module;
  Remarks remarks;
  speculate_all(module, Goal::All, &remarks);
  EXPECT_TRUE(refined(before, module));
  EXPECT_NE(print(module).find("%p ? %q"), std::string::npos);
  EXPECT_EQ(remarks.all()[0].message, "not speculated: a psi may rely on where it is undefined");
}

}  // namespace
}  // namespace psi
