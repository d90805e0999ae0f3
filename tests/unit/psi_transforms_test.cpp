#include "psi/psi_transforms/psi_transforms.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <map>

#include "destruct_testing.h"
#include "parsing.h"
#include "psi/pipeline/pipeline.h"
#include "psi/psi_transforms/speculate.h"
#include "psi_programs.h"

namespace psi {
namespace {

using testing::is_valid;
using testing::parse_or_die;
using testing::PsiProgram;
using testing::PsiRuns;
using testing::run_recorded;

constexpr std::array kPasses = {"psi-inline",
                                "psi-inline(materialise=on)",
                                "psi-reduce",
                                "psi-project",
                                "psi-project(materialise=on)",
                                "psi-permute",
                                "psi-promote",
                                "psi-lower",
                                "psi-lower(shape=tree)",
                                "psi-lower(guards=speculate)"};

PassList passes(std::string_view text) {
  Result<PassList> list = parse_passes(PassTable::builtin(), text);
  EXPECT_TRUE(list) << list.diagnostics().first_error();
  return list ? *list : PassList();
}

Counters run(Module& module, std::string_view text) {
  PipelineOptions options;
  options.verify_each = true;
  PipelineResult result = run_passes(module, passes(text), options);
  EXPECT_TRUE(result) << result.message() << "\n" << result.diagnostics().text_before;
  Counters counters;
  for (const PassReport& report : result->passes) counters.add(report.counters);
  return counters;
}

// What $f does for all values of its parameters, undef included; numbers are a few.
class AllRuns {
 public:
  explicit AllRuns(const Module& module) : before_(module) {
    const Function& f = *module.find_function("f");
    symbol_ = f.symbol;
    std::vector<std::vector<Value>> lists = {{}};
    for (Type type : f.signature.params) {
      std::vector<Value> values = {{0}, {1}, {0, true}};
      if (type != Type::i1) values = {{0}, {3}, {7}, {12}, {0xfffffff6}};
      std::vector<std::vector<Value>> longer;
      for (const auto& list : lists) {
        for (Value value : values) longer.push_back(list), longer.back().push_back(value);
      }
      lists = std::move(longer);
    }
    arguments_ = std::move(lists);
  }

  ::testing::AssertionResult are_refined_by(const Module& after) const {
    for (const std::vector<Value>& arguments : arguments_) {
      Result<void> refined =
          refines(run_recorded(before_, symbol_, arguments), run_recorded(after, symbol_, arguments));
      if (refined) continue;
      return ::testing::AssertionFailure() << refined.message() << "\n" << print(after);
    }
    return ::testing::AssertionSuccess();
  }

 private:
  Module before_;
  SymbolId symbol_;
  std::vector<std::vector<Value>> arguments_;
};

// One transformation of $f's psi %x, checked for all values.
class OnePsi {
 public:
  explicit OnePsi(std::string_view body, PsiTransformOptions options = {})
      : module_(parse_or_die("extern func $use(i32)\nfunc $f" + std::string(body) + "}\n")),
        before_(module_),
        function_(module_.function(module_.find_function("f")->symbol)),
        analyses_(function_),
        transforms_(module_, function_, analyses_, counters_, &remarks_, options) {
    EXPECT_TRUE(is_valid(module_));
    for (BlockId b : function_.layout()) {
      for (InstId id : function_.insts(b)) {
        if (function_.inst(id).is_psi() && function_.name(function_.inst(id).results[0]) == "x") x_ = id;
      }
    }
    EXPECT_TRUE(x_);
  }
  ~OnePsi() {
    transforms_.finish();
    EXPECT_TRUE(is_valid(module_));
    EXPECT_TRUE(AllRuns(before_).are_refined_by(module_));
  }

  PsiTransforms& operator()() { return transforms_; }
  InstId x() const { return x_; }
  Guard guard(std::string_view name, bool negated = false) {
    return Guard(find_reg(function_, name), negated);
  }
  // As it is written now, without the result.
  std::string text() {
    std::string text = print(module_, function_, x_);
    return text.substr(text.find("psi "));
  }
  std::string text(Operand operand) { return print(module_, function_, operand); }
  std::string last_remark() const { return remarks_.all().empty() ? "" : remarks_.all().back().message; }
  Counters& counters() { return counters_; }

 private:
  Module module_;
  const Module before_;
  Function& function_;
  Analyses analyses_;
  Counters counters_;
  Remarks remarks_;
  PsiTransforms transforms_;
  InstId x_;
};

// --- Inlining -------------------------------------------------------------------------------------------

constexpr std::string_view kFigure4 = R"((%p1: i1, %p2: i1, %p3: i1, %i: i32) -> i32 ssa {
@entry:
  %a1 = add.i32 %i, 1
  %p2 ? %a2 = add.i32 %i, 2
  %x1 = psi %a1, %p2 ? %a2
  %p3 ? %a3 = add.i32 %i, 3
  %x = psi %p1 ? %x1, %p3 ? %a3
  ret %x
)";

TEST(PsiInline, NeedsTheConjunction) {
  OnePsi psi(kFigure4);
  EXPECT_FALSE(psi().inline_argument(psi.x(), 0));
  EXPECT_EQ(psi.last_remark(),
            "argument 1, %x1, not inlined: no predicate that can be read is known to be %p1 and %p2");
  EXPECT_EQ(psi.text(), "psi %p1 ? %x1, %p3 ? %a3");
  EXPECT_FALSE(psi().inline_argument(psi.x(), 1));
}

TEST(PsiInline, MaterialisesTheConjunction) {
  OnePsi psi(kFigure4, {.materialise = true});
  EXPECT_TRUE(psi().inline_argument(psi.x(), 0));
  EXPECT_EQ(psi.text(), "psi %p1 ? %a1, %9 ? %a2, %p3 ? %a3");
  EXPECT_EQ(psi.counters()["predicates materialised"], 1u);
}

TEST(PsiInline, UsesANameOfTheConjunction) {
  OnePsi psi(R"((%p1: i1, %p2: i1, %p3: i1, %i: i32) -> i32 ssa {
@entry:
  %both = and.i1 %p2, %p1
  %a1 = add.i32 %i, 1
  %p2 ? %a2 = add.i32 %i, 2
  %x1 = psi %a1, %p2 ? %a2
  %p3 ? %a3 = add.i32 %i, 3
  %x = psi %p1 ? %x1, %p3 ? %a3
  %both ? call $use(%x1)
  ret %x
)");
  EXPECT_TRUE(psi().inline_argument(psi.x(), 0));
  EXPECT_EQ(psi.text(), "psi %p1 ? %a1, %both ? %a2, %p3 ? %a3");
}

// Where %p1 is false %p3 is true, and hides %a2.
TEST(PsiInline, KeepsAGuardThatIsHiddenOutsideOfTheOuterOne) {
  OnePsi psi(R"((%p2: i1, %p3: i1, %i: i32) -> i32 ssa {
@entry:
  %p1 = not.i1 %p3
  %a1 = add.i32 %i, 1
  %p2 ? %a2 = add.i32 %i, 2
  %x1 = psi %a1, %p2 ? %a2
  %p3 ? %a3 = add.i32 %i, 3
  %x = psi %p1 ? %x1, %p3 ? %a3
  ret %x
)");
  EXPECT_TRUE(psi().inline_argument(psi.x(), 0));
  EXPECT_EQ(psi.text(), "psi %p1 ? %a1, %p2 ? %a2, %p3 ? %a3");
}

// Under %r the inner psi takes nothing but %c; and what lies to the left of a guard that is true goes.
TEST(PsiInline, LeavesOutWhatIsNeverTaken) {
  OnePsi psi(R"((%p: i1, %i: i32) -> i32 ssa {
@entry:
  %b = add.i32 %i, 1
  !%p ? %c = add.i32 %i, 2
  %p ? %d = add.i32 %i, 3
  %y = psi %b, !%p ? %c, %p ? %d
  %x = psi %i, !%p ? %y
  ret %x
)");
  EXPECT_TRUE(psi().inline_argument(psi.x(), 1));
  EXPECT_EQ(psi.text(), "psi %i, !%p ? %c");
}

// %q is undef where %large is true, and the inner psi does not read it there. The outer one must not either,
// where %p is false.
TEST(PsiInline, ReadsNoInnerGuardThatMayBeUndef) {
  constexpr std::string_view kBody = R"((%i: i32) -> i32 ssa {
@entry:
  %large = cmp.ge.i32 %i, 10
  !%large ? %q = cmp.lt.i32 %i, 5
  %p = cmp.lt.i32 %i, 7
  %b = add.i32 %i, 1
  %c = add.i32 %i, 2
  %d = add.i32 %i, 3
  %y = psi %b, %q ? %c, %large ? %d
  %x = psi %i, %p ? %y
  ret %x
)";
  {
    OnePsi psi(kBody);
    EXPECT_FALSE(psi().inline_argument(psi.x(), 1)) << psi.text();
  }
  OnePsi psi(kBody, {.materialise = true});
  EXPECT_TRUE(psi().inline_argument(psi.x(), 1));
}

// Where %p is true and %q is not the inner psi is undef, and its first argument, too.
TEST(PsiInline, AsksMoreOfAFirstArgumentThatIsNoLongerFirst) {
  OnePsi psi(R"((%p: i1, %q: i1, %i: i32) -> i32 ssa {
@entry:
  %r = or.i1 %p, %q
  %q ? %b = add.i32 %i, 1
  %p ? %c = add.i32 %i, 2
  %y = psi %b, %p ? %c
  %x = psi %i, %r ? %y
  ret %x
)");
  EXPECT_FALSE(psi().inline_argument(psi.x(), 1)) << psi.text();
  EXPECT_EQ(psi.last_remark(),
            "argument 2, %y, not inlined: %b may be undefined where it would be taken, as when %p = true, "
            "%q = false");
}

// Where %p is false and %r is true %q is undef; what %r has become is false there.
TEST(PsiInline, ReadsNoGuardBehindAConjunctionThatMayBeUndef) {
  OnePsi psi(R"((%i: i32) -> i32 ssa {
@entry:
  %p = cmp.lt.i32 %i, 7
  %r = cmp.gt.i32 %i, 5
  !%r ? %q = cmp.lt.i32 %i, 3
  %b = add.i32 %i, 1
  %c = add.i32 %i, 2
  %d = add.i32 %i, 3
  %y = psi %b, %q ? %c, %r ? %d
  %x = psi %i, %p ? %y
  ret %x
)",
             {.materialise = true});
  EXPECT_TRUE(psi().inline_argument(psi.x(), 1));
  EXPECT_EQ(psi.counters()["predicates materialised"], 2u) << psi.text();
}

// %b is hidden where %s is true and it is undefined; but the psi must be consistent.
TEST(PsiInline, KeepsPsisConsistent) {
  OnePsi psi(R"((%p: i1, %s: i1, %i: i32) -> i32 ssa {
@entry:
  %p ? %b = add.i32 %i, 1
  %c = add.i32 %i, 2
  %y = psi %s ? %b, !%s ? %c
  %x = psi %i, %p ? %y, !%p ? %c
  ret %x
)",
             {.materialise = true});
  EXPECT_TRUE(psi().inline_argument(psi.x(), 1));
}

TEST(PsiInline, StopsAtTheLimit) {
  OnePsi psi(kFigure4, {.materialise = true, .max_arguments = 2});
  EXPECT_FALSE(psi().inline_argument(psi.x(), 0));
  EXPECT_EQ(psi.last_remark(), "argument 1, %x1, not inlined: there would be more than 2 arguments");
}

// --- Reduction ------------------------------------------------------------------------------------------

TEST(PsiReduce, DropsWhatIsOverridden) {
  OnePsi psi(R"((%p: i1, %i: i32) -> i32 ssa {
@entry:
  %p ? %b = add.i32 %i, 1
  !%p ? %c = add.i32 %i, 2
  %x = psi %i, %p ? %b, !%p ? %c
  ret %x
)");
  EXPECT_EQ(psi().reduce(psi.x()), 1u);
  EXPECT_EQ(psi.text(), "psi %p ? %b, !%p ? %c");
  EXPECT_EQ(psi().reduce(psi.x()), 0u);
}

// By what the predicates are: under 3 the one, from 3 to 9 the other, and never.
TEST(PsiReduce, AsksWhatPredicatesAre) {
  OnePsi psi(R"((%i: i32) -> i32 ssa {
@entry:
  %low = cmp.lt.i32 %i, 3
  %high = cmp.gt.i32 %i, 1
  %never = and.i1 %low, false
  %b = add.i32 %i, 1
  %c = add.i32 %i, 2
  %x = psi %i, %low ? %b, %never ? %i, %high ? %c
  ret %x
)");
  EXPECT_EQ(psi().reduce(psi.x()), 2u);
  EXPECT_EQ(psi.text(), "psi %low ? %b, %high ? %c");
}

TEST(PsiReduce, MergesNeighbours) {
  OnePsi psi(R"((%p: i1, %q: i1, %i: i32) -> i32 ssa {
@entry:
  %b = add.i32 %i, 1
  %r = or.i1 %p, %q
  %x = psi %i, %p ? %b, %q ? %b
  %r ? call $use(%x)
  ret %x
)");
  EXPECT_EQ(psi().reduce(psi.x()), 1u);
  EXPECT_EQ(psi.text(), "psi %i, %r ? %b");
}

// Where %q is undef %p is true and is read first.
TEST(PsiReduce, MergesNothingIfThatReadsAnUndefGuard) {
  OnePsi psi(R"((%i: i32) -> i32 ssa {
@entry:
  %p = cmp.ge.i32 %i, 10
  !%p ? %q = cmp.gt.i32 %i, 5
  %b = add.i32 %i, 1
  %x = psi %i, %q ? %b, %p ? %b
  ret %x
)");
  EXPECT_EQ(psi().reduce(psi.x()), 0u) << psi.text();
}

TEST(PsiReduce, KeepsOneArgument) {
  OnePsi psi(R"((%p: i1, %q: i1, %i: i32) -> i32 ssa {
@entry:
  %x = psi %p ? %i, %q ? %i
  ret %x
)");
  EXPECT_EQ(psi().reduce(psi.x()), 1u);
  EXPECT_EQ(psi.text(), "psi %i");
}

// --- Projection -----------------------------------------------------------------------------------------

constexpr std::string_view kThree = R"((%p: i1, %q: i1, %t: i1, %i: i32) -> i32 ssa {
@entry:
  %r = and.i1 %p, %q
  %s = not.i1 %p
  %b = add.i32 %i, 1
  %c = add.i32 %i, 2
  %d = add.i32 %i, 3
  %x = psi %b, %q ? %c, %s ? %d
  ret %x
)";

TEST(PsiProject, ToOneArgument) {
  OnePsi psi(kThree);
  std::optional<Operand> taken = psi().project(psi.x(), psi.guard("r"));
  ASSERT_TRUE(taken);
  EXPECT_EQ(psi.text(*taken), "%c");
  taken = psi().project(psi.x(), psi.guard("s"));
  ASSERT_TRUE(taken);
  EXPECT_EQ(psi.text(*taken), "%d");
  EXPECT_FALSE(psi().project(psi.x(), psi.guard("t")));
}

// %q is read where %s is true, now: it must be known to be defined.
TEST(PsiProject, ToAPsi) {
  {
    OnePsi psi(kThree);
    EXPECT_FALSE(psi().project(psi.x(), psi.guard("p")));
    EXPECT_EQ(psi.last_remark(), "not projected on %p: %q may be undefined where it would be read");
  }
  OnePsi psi(R"((%p: i1, %q: i1, %i: i32) -> i32 ssa {
@entry:
  %q ? call $use(1)
  %p ? call $use(2)
  %s = not.i1 %p
  %b = add.i32 %i, 1
  %c = add.i32 %i, 2
  %d = add.i32 %i, 3
  %x = psi %b, %q ? %c, %s ? %d
  ret %x
)");
  std::optional<Operand> projected = psi().project(psi.x(), psi.guard("p"));
  ASSERT_TRUE(projected);
  EXPECT_EQ(psi.counters()["psis projected"], 1u);
}

// That %d is defined where %k is true is known because both compare %x.
TEST(PsiProject, KeepsWhatIsCompared) {
  Module module = parse_or_die(R"(func $f(%p: i1, %i: i32) -> i32 ssa {
@entry:
  %a = add.i32 %i, 1
  %b = add.i32 %i, 2
  %x = psi %p ? %a, !%p ? %b
  %r = cmp.lt.i32 %x, 5
  %r ? %d = add.i32 %i, 3
  %p ? %copy = mov %x
  %p ? %k = cmp.lt.i32 %x, 3
  %p ? %l = cmp.lt.i32 %copy, 3
  %p ? %direct = mul.i32 %x, 3
  %y = psi %direct, %k ? %d, %l ? %d
  ret %y
}
)");
  Module before = module;
  EXPECT_EQ(run(module, "psi-project")["uses made direct"], 1u);
  EXPECT_TRUE(AllRuns(before).are_refined_by(module));
}

// --- Permutation ----------------------------------------------------------------------------------------

TEST(PsiPermute, ExchangesWhatExcludesEachOther) {
  OnePsi psi(R"((%p: i1, %i: i32) -> i32 ssa {
@entry:
  !%p ? %c = add.i32 %i, 1
  %p ? %b = add.i32 %i, 2
  %x = psi %p ? %b, !%p ? %c
  ret %x
)");
  EXPECT_EQ(psi().sort(psi.x()), 1u);
  EXPECT_EQ(psi.text(), "psi !%p ? %c, %p ? %b");
  EXPECT_EQ(psi().sort(psi.x()), 0u);
  EXPECT_TRUE(psi().permute(psi.x(), 0));
  EXPECT_EQ(psi.text(), "psi %p ? %b, !%p ? %c");
}

TEST(PsiPermute, SaysWhenBothAreTrue) {
  OnePsi psi(R"((%i: i32) -> i32 ssa {
@entry:
  %p = cmp.gt.i32 %i, 4
  %q = cmp.lt.i32 %i, 6
  %c = add.i32 %i, 1
  %b = add.i32 %i, 2
  %x = psi %p ? %b, %q ? %c
  ret %x
)");
  EXPECT_EQ(psi().sort(psi.x()), 0u);
  EXPECT_EQ(psi.last_remark(),
            "arguments 1 and 2 not exchanged: guards %p and %q may be true together, as when %i = 5");
}

TEST(PsiPermute, KeepsTheFirstIfItMayBeUndefined) {
  OnePsi psi(R"((%p: i1, %q: i1, %i: i32) -> i32 ssa {
@entry:
  !%p ? %c = add.i32 %i, 1
  %q ? %b = add.i32 %i, 2
  %x = psi %p ? %b, !%p ? %c
  ret %x
)");
  EXPECT_FALSE(psi().permute(psi.x(), 0)) << psi.text();
  EXPECT_EQ(psi.last_remark(),
            "arguments 1 and 2 not exchanged: %b may be undefined where it is taken, as when %p = true, %q "
            "= false");
}

// That %d is defined where %x is true is known of %x as it is.
TEST(PsiPermute, KeepsWhatIsKnownOfPredicates) {
  OnePsi psi(R"((%a: i1, %b: i1, %i: i32) -> i32 ssa {
@entry:
  %p = cmp.lt.i32 %i, 3
  %q = cmp.gt.i32 %i, 7
  %p ? call $use(1)
  %y = select %q, %b, %a
  %y ? %d = add.i32 %i, 1
  %x = psi %p ? %a, %q ? %b
  %z = psi %i, %x ? %d
  ret %z
)");
  EXPECT_FALSE(psi().permute(psi.x(), 0)) << psi.text();
  EXPECT_EQ(psi.last_remark(), "not permuted: facts about the predicate would be lost");
}

TEST(PsiPermute, ReadsNoGuardThatMayBeUndef) {
  OnePsi psi(R"((%i: i32) -> i32 ssa {
@entry:
  %p = cmp.ge.i32 %i, 10
  !%p ? %low = cmp.le.i32 %i, 5
  %c = add.i32 %i, 1
  %b = add.i32 %i, 2
  %x = psi %i, %low ? %b, %p ? %c
  ret %x
)");
  EXPECT_FALSE(psi().permute(psi.x(), 1)) << psi.text();
  EXPECT_EQ(psi.last_remark(), "arguments 2 and 3 not exchanged: %low may be undefined where %p is true");
}

// --- Promotion ------------------------------------------------------------------------------------------

TEST(PsiPromote, TheFirstToTrue) {
  OnePsi psi(R"((%p: i1, %i: i32) -> i32 ssa {
@entry:
  %a = add.i32 %i, 1
  %b = add.i32 %i, 2
  %x = psi %p ? %a, !%p ? %b
  ret %x
)");
  EXPECT_TRUE(psi().promote(psi.x(), 0, Guard()));
  EXPECT_EQ(psi.text(), "psi %a, !%p ? %b");
  EXPECT_FALSE(psi().promote(psi.x(), 1, Guard()));
  EXPECT_EQ(psi.last_remark(),
            "guard !%p of argument 2 not promoted: argument 1 may be taken there, as when %p = true");
}

TEST(PsiPromote, WithinTheDomain) {
  OnePsi psi(R"((%i: i32) -> i32 ssa {
@entry:
  %small = cmp.lt.i32 %i, 5
  %smaller = cmp.lt.i32 %i, 3
  %large = cmp.gt.i32 %i, 8
  %medium = cmp.lt.i32 %i, 7
  %small ? %b = add.i32 %i, 1
  %x = psi %large ? %i, %smaller ? %b
  ret %x
)");
  EXPECT_FALSE(psi().promote(psi.x(), 1, psi.guard("medium")));
  EXPECT_EQ(psi.last_remark(),
            "guard %smaller of argument 2 not promoted: %b may be undefined there, as when %i = 5");
  EXPECT_TRUE(psi().promote(psi.x(), 1, psi.guard("small")));
  EXPECT_EQ(psi.text(), "psi %large ? %i, %small ? %b");
  EXPECT_FALSE(psi().promote(psi.x(), 1, psi.guard("large")));
}

TEST(PsiPromote, ReadsNoGuardThatMayBeUndef) {
  OnePsi psi(R"((%p: i1, %i: i32) -> i32 ssa {
@entry:
  %q = cmp.lt.i32 %i, 3
  %p ? %r = cmp.lt.i32 %i, 5
  %s = cmp.gt.i32 %i, 9
  %b = add.i32 %i, 1
  %c = add.i32 %i, 2
  %x = psi %q ? %b, %s ? %c
  ret %x
)");
  EXPECT_FALSE(psi().promote(psi.x(), 0, psi.guard("r"))) << psi.text();
  EXPECT_EQ(psi.last_remark(),
            "guard %q of argument 1 not promoted: %r may be undefined where it would be read");
}

// --- Lowering -------------------------------------------------------------------------------------------

// The first guard of a psi is not read by selects, and one that is undef where others are true does no harm.
TEST(PsiLower, AsChainAndTree) {
  for (const char* pass : {"psi-lower", "psi-lower(shape=tree)", "psi-lower(guards=speculate)"}) {
    Module module = parse_or_die(R"(func $f(%p: i1, %q: i1, %r: i1, %i: i32) -> i32 ssa {
@entry:
  !%p ? %u = mov %r
  %q ? %a = add.i32 %i, 1
  %x = psi %q ? %a, !%r ? 2, %u ? 3, %p ? 4, %r ? %i, !%q ? 6
  ret %x
}
)");
    AllRuns runs(module);
    Counters counters = run(module, pass);
    EXPECT_TRUE(runs.are_refined_by(module)) << pass;
    EXPECT_EQ(counters["psis lowered"], 1u);
    EXPECT_EQ(counters["selects made"], 5u);
    EXPECT_EQ(print(module).find("psi "), std::string::npos);
  }
}

// A tree of 1000 arguments is about ten selects high.
TEST(PsiLower, TreesAreLow) {
  std::string text = "func $f(%i: i32) -> i32 ssa {\n@entry:\n", arguments = "%i";
  for (int k = 0; k < 1000; ++k) {
    text += fmt::format("  %p{} = cmp.gt.i32 %i, {}\n", k, k);
    arguments += fmt::format(", %p{} ? {}", k, k);
  }
  Module module = parse_or_die(text + "  %x = psi " + arguments + "\n  ret %x\n}\n");
  Module tree = module;
  auto height = [](Module& lowered) {
    Function& function = lowered.function(lowered.find_function("f")->symbol);
    Analyses analyses(function);
    return dependence_height(function, analyses);
  };
  run(module, "psi-lower");
  run(tree, "psi-lower(shape=tree)");
  EXPECT_GE(height(module), 1000u);
  EXPECT_LE(height(tree), 25u);
}

// --- All psis of random functions -----------------------------------------------------------------------

TEST(PsiTransforms, RandomPrograms) {
  std::map<std::string, uint64_t> counts;
  for (uint64_t seed = 0; seed < 400; ++seed) {
    PsiProgram program(seed, {.phis = seed % 2 == 0});
    if (!verifies(program.module())) continue;
    PsiRuns runs(program);
    for (const char* pass : kPasses) {
      Module module = program.module();
      Counters counters = run(module, pass);
      ASSERT_TRUE(runs.are_refined_by(module)) << pass << ", seed " << seed << "\n"
                                               << print(program.module());
      for (const auto& [name, count] : counters.all()) counts[name] += count;
    }
  }
  for (const char* name : {"psis inlined", "predicates materialised", "arguments dropped", "arguments merged",
                           "psis replaced", "psis projected", "uses made direct", "arguments permuted",
                           "guards promoted", "refused", "psis lowered", "selects made", "predicates made"}) {
    EXPECT_GT(counts[name], 20u) << name;
  }
  EXPECT_GT(counts["selects shared"], 0u);
}

// A long row of psis, and long psis whose arguments are in the wrong order and exclude each other.
TEST(PsiTransforms, LargeFunctions) {
  constexpr int kRow = 20'000, kArguments = 1'000;
  std::string text = "func $f(%p: i1, %q: i1, %i: i32) -> i32 ssa {\n@entry:\n";
  std::string last = "%i";
  for (int k = 0; k < kRow; ++k) {
    const char* guard = k % 3 == 0 ? "%p" : k % 3 == 1 ? "!%p" : "%q";
    text += fmt::format("  {} ? %a{} = add.i32 {}, {}\n", guard, k, last, k);
    text += fmt::format("  %x{} = psi {}, {} ? %a{}\n", k, last, guard, k);
    last = fmt::format("%x{}", k);
  }
  std::string arguments = last;
  for (int k = 0; k < kArguments; ++k) {
    text += fmt::format("  %p{} = cmp.eq.i32 %i, {}\n  %p{} ? %b{} = add.i32 %i, {}\n", k, k, k, k, k);
    int other = kArguments - 1 - k;
    arguments += fmt::format(", %p{} ? %b{}", other, other);
  }
  text += fmt::format("  %y = psi {}\n", arguments);
  for (int k = 0; k < kArguments; ++k) text += fmt::format("  %p{} ? %c{} = mul.i32 %y, 3\n", k, k);
  Module module = parse_or_die(text + "  ret %y\n}\n");
  std::map<std::string, uint64_t> counts;
  for (const char* pass : kPasses) {
    Module changed = module;
    Counters counters = run(changed, pass);
    for (const auto& [name, count] : counters.all()) counts[name] += count;
  }
  EXPECT_GT(counts["psis inlined"], 10'000u);
  EXPECT_GT(counts["arguments permuted"], 10'000u);
  EXPECT_GT(counts["uses made direct"], 50u);
}

TEST(PsiTransforms, ASecondTimeChangesNothing) {
  uint32_t changed = 0, again = 0;
  for (uint64_t seed = 0; seed < 400; ++seed) {
    PsiProgram program(seed, {.phis = seed % 2 == 0});
    if (!verifies(program.module())) continue;
    for (const char* pass : kPasses) {
      Module once = program.module();
      run(once, pass);
      Module twice = once;
      run(twice, pass);
      changed += print(program.module()) != print(once);
      again += print(once) != print(twice);
    }
  }
  EXPECT_GT(changed, 500u);
  // More may be known of predicates that have become simpler.
  EXPECT_LT(again * 100, changed);
}

}  // namespace
}  // namespace psi
