#include <gtest/gtest.h>

#include <array>
#include <string>
#include <vector>

#include "destruct_runs.h"
#include "iterations.h"
#include "psi/scramble/scramble.h"
#include "psi/ssa/construct.h"
#include "psi/testing/generate.h"
#include "psi_programs.h"

namespace psi {
namespace {

using testing::destruct_all;
using testing::for_each_body;
using testing::refined;

constexpr std::array kShapes = {Shape::Structured, Shape::Irreducible, Shape::Straight, Shape::Mixed};

Module random_program(uint64_t seed, bool guards) {
  GenerateOptions options;
  options.seed = seed;
  options.size = 20 + seed % 5 * 40;
  options.shape = kShapes[seed / 5 % kShapes.size()];
  options.guards = guards;
  return generate(options);
}

void expect_same_runs(const Module& before, const Module& after, uint64_t seed) {
  for (SymbolId symbol : before.declarations()) {
    if (before.kind(symbol) != SymbolKind::Function) continue;
    const Function& function = before.function(symbol);
    if (function.is_declaration() || !takes_arguments(function)) continue;
    for (uint64_t run = 0; run < 2; ++run) {
      ASSERT_TRUE(refined(before, after, symbol, generate_arguments(function, 2 * seed + run)));
    }
  }
}

DestructOptions random_options(PhiMethod method, uint64_t seed) {
  constexpr std::array kPsiMethods = {PsiMethod::Web, PsiMethod::Web2007, PsiMethod::Isolate};
  DestructOptions options;
  options.method = method;
  options.psi = kPsiMethods[seed % 3];
  options.values = seed % 4 != 0;
  options.predicates = seed % 5 != 0;
  options.split_critical = seed % 7 == 0;
  return options;
}

class DestructMethod : public ::testing::TestWithParam<PhiMethod> {};

// As construction leaves them, with copies folded.
TEST_P(DestructMethod, RefinesRandomPrograms) {
  for (uint64_t seed = 0; seed < testing::iterations(150u); ++seed) {
    SCOPED_TRACE(seed);
    Module before = random_program(seed, seed % 3 != 0), after = before;
    for_each_body(after, [&](Function& function) {
      Analyses analyses(function);
      Counters counters;
      StepTimes times;
      construct(function, analyses, {}, counters, times);
    });
    destruct_all(after, random_options(GetParam(), seed));
    ASSERT_NO_FATAL_FAILURE(expect_same_runs(before, after, seed));
  }
}

// As optimisations may leave them.
TEST_P(DestructMethod, RefinesScrambledPrograms) {
  Counters counted;
  for (uint64_t seed = 0; seed < 300; ++seed) {
    SCOPED_TRACE(seed);
    Module before = random_program(seed, seed % 3 != 0);
    for_each_body(before, [&](Function& function) {
      Analyses analyses(function);
      Counters counters;
      StepTimes times;
      construct(function, analyses, {}, counters, times);
      analyses.drop(Keeps::ControlFlow);
      ScrambleOptions options;
      options.seed = static_cast<uint32_t>(seed % 10);
      scramble_ssa(function, analyses, options, counters);
    });
    Module after = before;
    counted.add(destruct_all(after, random_options(GetParam(), seed)));
    ASSERT_NO_FATAL_FAILURE(expect_same_runs(before, after, seed));
  }
  // Or the test would show nothing.
  EXPECT_GT(counted["phis"], 3000u);
  EXPECT_GT(counted["psis"], 1000u);
  EXPECT_GT(counted["copies left"], 1000u);
}

// All that three predicates can be.
TEST_P(DestructMethod, RefinesRandomPsis) {
  for (uint64_t seed = 0; seed < testing::iterations(400u); ++seed) {
    SCOPED_TRACE(seed);
    testing::PsiProgram program(seed);
    Module after = program.module();
    destruct_all(after, random_options(GetParam(), seed));
    for (uint64_t world = 0; world < uint64_t{1} << testing::PsiProgram::kParams; ++world) {
      std::vector<Value> arguments;
      for (uint64_t i = 0; i < testing::PsiProgram::kParams; ++i)
        arguments.push_back({world >> i & 1, false});
      for (uint64_t i = 0; i < 3; ++i) arguments.push_back({100 + i, false});
      ASSERT_TRUE(refined(program.module(), after, program.symbol(), arguments));
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, DestructMethod, ::testing::ValuesIn(testing::kPhiMethods),
                         [](const auto& method) { return std::string(phi_method_name(method.param)); });

}  // namespace
}  // namespace psi
