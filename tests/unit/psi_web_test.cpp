#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <map>

#include "destruct/psi_steps.h"
#include "destruct_testing.h"
#include "iterations.h"
#include "parsing.h"
#include "psi/cfg/unreachable.h"
#include "psi/scramble/scramble.h"
#include "psi/ssa/construct.h"
#include "psi/testing/generate.h"
#include "psi_programs.h"

namespace psi {
namespace {

using testing::is_valid;
using testing::parse_or_die;
using testing::PlainTranslation;
using testing::PsiProgram;
using testing::PsiProgramOptions;
using testing::PsiRuns;

using Webs = std::map<SymbolId, std::vector<Reg>>;

Webs make_webs(Module& module, const DestructOptions& options, Counters& counters) {
  Webs webs;
  testing::for_each_body(module, [&](Function& function) {
    Analyses analyses(function);
    destruct::normalize_psis(function, analyses, options, counters);
    webs[function.symbol] = destruct::make_psi_webs(function, analyses, options, counters);
  });
  return webs;
}

Module to_plain_form(Module module, const Webs& webs) {
  testing::for_each_body(module,
                         [&](Function& function) { PlainTranslation(function, webs.at(function.symbol)); });
  return module;
}

std::vector<DestructOptions> all_web_options() {
  std::vector<DestructOptions> list;
  for (PsiMethod method : {PsiMethod::Web, PsiMethod::Web2007, PsiMethod::Isolate}) {
    for (int bits = 0; bits < 4; ++bits) {
      DestructOptions options;
      options.psi = method;
      options.predicates = !(bits & 1);
      options.values = !(bits & 2);
      // Without the improvements of the 2007 paper wherever its first one is off.
      options.left_only = options.ignore_result = options.predicates;
      list.push_back(options);
    }
  }
  return list;
}

TEST(PsiWeb, RandomPrograms) {
  for (uint64_t seed = 0; seed < testing::iterations(150u); ++seed) {
    PsiProgram program(seed);
    if (!verifies(program.module())) continue;
    PsiRuns runs(program);
    for (const DestructOptions& options : all_web_options()) {
      Module module = program.module();
      Counters counters;
      Webs webs = make_webs(module, options, counters);
      ASSERT_TRUE(is_valid(module)) << "seed " << seed;
      ASSERT_TRUE(runs.are_refined_by(module)) << "seed " << seed;
      Module plain = to_plain_form(std::move(module), webs);
      ASSERT_TRUE(is_valid(plain)) << "seed " << seed;
      ASSERT_TRUE(runs.are_refined_by(plain)) << "seed " << seed;
    }
  }
}

// The verifier sees no interference either.
TEST(PsiWeb, WithoutPhisTheFormIsConventional) {
  PsiProgramOptions program_options;
  program_options.phis = false;
  for (uint64_t seed = 0; seed < testing::iterations(300u); ++seed) {
    PsiProgram program(seed, program_options);
    for (const DestructOptions& options : all_web_options()) {
      Module module = program.module();
      Counters counters;
      make_webs(module, options, counters);
      module.function(program.symbol()).form = Form::Conventional;
      ASSERT_TRUE(is_valid(module)) << "seed " << seed;
    }
  }
}

// Programs as compilers see them, made unconventional.
TEST(PsiWeb, ScrambledPrograms) {
  constexpr std::array kShapes = {Shape::Straight, Shape::Structured, Shape::Irreducible, Shape::Mixed};
  uint64_t copies = 0;
  for (uint32_t seed = 0; seed < 40; ++seed) {
    GenerateOptions generate_options;
    generate_options.seed = seed;
    generate_options.size = 120;
    generate_options.shape = kShapes[seed % kShapes.size()];
    Module module = generate(generate_options);
    SymbolId main = module.find_function("main")->symbol;
    Outcome before = testing::run_recorded(module, main, {});
    testing::for_each_body(module, [&](Function& function) {
      Analyses analyses(function);
      Counters counters;
      StepTimes times;
      dce_unreachable(function, analyses, counters);
      analyses.drop(Keeps::Nothing);
      ConstructOptions construct_options;
      construct_options.inline_psis = seed % 2;
      construct(function, analyses, construct_options, counters, times);
      ScrambleOptions scramble_options;
      scramble_options.seed = seed;
      scramble_ssa(function, analyses, scramble_options, counters);
    });
    for (const DestructOptions& options : all_web_options()) {
      Module result = module;
      Counters counters;
      Webs webs = make_webs(result, options, counters);
      copies += counters["copies by psi-web"];
      for (const Module& after : {result, to_plain_form(result, webs)}) {
        ASSERT_TRUE(is_valid(after)) << "seed " << seed;
        Result<void> refined = refines(before, testing::run_recorded(after, main, {}));
        EXPECT_TRUE(refined) << "seed " << seed << refined.message();
      }
    }
  }
  EXPECT_GT(copies, 0u);
}

uint64_t count_copies(const Function& function) {
  uint64_t count = 0;
  for (BlockId b : function.layout()) {
    for (InstId id : function.insts(b)) {
      const Inst& inst = function.inst(id);
      count += inst.op == Opcode::Mov && inst.type != Type::i1 && function.operands(id)[0].is_reg();
    }
  }
  return count;
}

// Guarded definitions of one variable write one register. (A predicate that guards its own definition is read
// by the psi as well, so that may need a copy.)
TEST(PsiWeb, ConstructedCodeNeedsNoCopies) {
  for (uint64_t seed = 0; seed < testing::iterations(100u); ++seed) {
    GenerateOptions generate_options;
    generate_options.seed = seed;
    Module module = generate(generate_options);
    testing::for_each_body(module, [&](Function& function) {
      Analyses analyses(function);
      ConstructOptions options;
      options.fold = false;
      Counters counters;
      StepTimes times;
      construct(function, analyses, options, counters, times);
      uint64_t before = count_copies(function);
      destruct::normalize_psis(function, analyses, {}, counters);
      destruct::make_psi_webs(function, analyses, {}, counters);
      EXPECT_EQ(count_copies(function), before) << "seed " << seed;
    });
  }
}

struct Example {
  Module module;
  Counters counters;
  Webs webs;
};
Example make(std::string_view text, const DestructOptions& options = {}) {
  Example example{parse_or_die(text), {}, {}};
  example.webs = make_webs(example.module, options, example.counters);
  EXPECT_TRUE(is_valid(example.module));
  return example;
}

uint64_t result(const Module& module, std::vector<Value> arguments) {
  Outcome outcome = interpret(module, module.declarations()[0], arguments);
  EXPECT_EQ(outcome.status, Outcome::Status::Returned) << outcome.message;
  return outcome.result.bits;
}

// Until c is defined b carries the value of a, which w would destroy though it excludes b.
TEST(PsiWeb, WhatALinkCarriesIsKept) {
  Example example = make(R"(func $f(%i: i32, %r: i1) -> i32 ssa {
@entry:
  %p, %q = cmpp.un.uc.lt.i32 %i, 10
  %a = add.i32 %i, 1
  %p ? %b = add.i32 %i, 2
  %q ? %w = add.i32 %i, 3
  %y = psi %p ? %b, %q ? %w
  %r ? %c = add.i32 %i, 4
  %x = psi %a, %p ? %b, %r ? %c
  %z = mul.i32 %x, %y
  ret %z
}
)");
  EXPECT_EQ(example.counters["copies by psi-web"], 1u);
  Module plain = to_plain_form(example.module, example.webs);
  EXPECT_EQ(result(plain, {Value{5}, Value{0}}), 7u * 7u);
  EXPECT_EQ(result(plain, {Value{20}, Value{0}}), 21u * 23u);
  EXPECT_EQ(result(plain, {Value{20}, Value{1}}), 24u * 23u);
}

// Two registers under exclusive predicates may be live together; the same under others may not.
TEST(PsiWeb, ExclusivePredicatesShare) {
  constexpr std::string_view kText = R"(func $f(%i: i32) -> i32 ssa {
@entry:
  %p, %q = cmpp.un.uc.lt.i32 %i, 10
  %p ? %a = add.i32 %i, 1
  %q ? %b = add.i32 %i, 2
  %x = psi %p ? %a, %q ? %b
  %p ? %c = mul.i32 %a, 2
  %y = psi %x, %p ? %c
  ret %y
}
)";
  EXPECT_EQ(make(kText).counters["copies by psi-web"], 0u);
  DestructOptions blind;
  blind.predicates = false;
  EXPECT_EQ(make(kText, blind).counters["copies by psi-web"], 1u);
}

// A copy may be written over what it copies.
TEST(PsiWeb, CopiesShare) {
  constexpr std::string_view kText = R"(func $f(%p: i1, %q: i1, %i: i32) -> i32 ssa {
@entry:
  %a = add.i32 %i, 1
  %p ? %b = mov %a
  %q ? %c = add.i32 %a, 5
  %x = psi %a, %p ? %b
  %z = add.i32 %x, %a
  %y = psi %i, %q ? %c
  %s = add.i32 %z, %y
  ret %s
}
)";
  EXPECT_EQ(make(kText).counters["copies by psi-web"], 0u);
  DestructOptions blind;
  blind.values = false;
  EXPECT_EQ(make(kText, blind).counters["copies by psi-web"], 1u);
}

// A copy of what is not defined is not a copy: under r, c would put nothing where a is.
TEST(PsiWeb, CopiesOfUndefinedValuesDoNotShare) {
  Example example = make(R"(func $f(%p: i1, %r: i1, %i: i32) -> i32 ssa {
@entry:
  %a = add.i32 %i, 1
  %p ? %b = mov %a
  %r ? %c = mov %b
  %x = psi %a, %r ? %c
  %d = psi %p ? %x
  %p ? %e = add.i32 %d, 1
  %y = psi %a, %p ? %e
  ret %y
}
)");
  Module plain = to_plain_form(example.module, example.webs);
  for (uint64_t p : {0, 1}) {
    for (uint64_t r : {0, 1}) {
      EXPECT_EQ(result(plain, {Value{p}, Value{r}, Value{10}}), p ? 12u : 11u);
    }
  }
}

// The argument that both psis share is the one to copy.
TEST(PsiWeb, TheRightArgumentIsCopied) {
  Example example = make(R"(func $f(%p: i1, %i: i32) -> i32 ssa {
@entry:
  %a = add.i32 %i, 1
  %c = add.i32 %i, 2
  %p ? %b = add.i32 %i, 3
  %x = psi %a, %p ? %b
  %y = psi %c, %p ? %b
  %z = mul.i32 %x, %y
  ret %z
}
)");
  EXPECT_EQ(example.counters["copies by psi-web"], 1u);
  Module plain = to_plain_form(example.module, example.webs);
  EXPECT_EQ(result(plain, {Value{0}, Value{10}}), 11u * 12u);
  EXPECT_EQ(result(plain, {Value{1}, Value{10}}), 13u * 13u);
}

// Long psis, long rows of psis, and one web for all of them.
TEST(PsiWeb, LargeFunctions) {
  constexpr uint32_t kSize = 20'000;
  std::string text =
      "func $f(%p: i1, %q: i1, %i: i32) -> i32 ssa {\n@entry:\n  %a = add.i32 %i, 1\n  %b = add.i32 %i, 2\n";
  std::string arguments = "%a", row = "%b";
  for (uint32_t k = 0; k < kSize; ++k) {
    const char* guard = k % 2 ? "p" : "q";
    text += fmt::format("  %{0} ? %a{1} = add.i32 %i, {1}\n  %{0} ? %b{1} = add.i32 {2}, 1\n", guard, k, row);
    text += fmt::format("  %y{} = psi {}, %{} ? %b{}\n", k, row, guard, k);
    row = fmt::format("%y{}", k);
    arguments += fmt::format(", %{} ? %a{}", guard, k);
  }
  text += fmt::format("  %x = psi {}\n  %z = add.i32 %x, {}\n  ret %z\n}}\n", arguments, row);
  for (PsiMethod method : {PsiMethod::Web, PsiMethod::Isolate}) {
    DestructOptions options;
    options.psi = method;
    Example example = make(text, options);
    EXPECT_EQ(example.counters["copies by psi-web"], method == PsiMethod::Web ? 0u : 3 * kSize + 1);
  }
}

}  // namespace
}  // namespace psi
