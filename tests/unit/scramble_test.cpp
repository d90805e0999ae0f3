#include "psi/scramble/scramble.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>

#include "destruct_testing.h"
#include "iterations.h"
#include "parsing.h"
#include "psi/interp/interpret.h"
#include "psi/ssa/construct.h"
#include "psi/testing/fuzz.h"
#include "psi/testing/generate.h"
#include "psi/text/text.h"
#include "psi/verify/verify.h"

namespace psi {
namespace {

using testing::for_each_body;
using testing::parse_or_die;

// What is counted when a step does something.
const std::map<std::string, std::vector<std::string>> kCounters = {
    {"fold", {"copies folded"}},
    {"extend", {"phis added", "phis doubled", "instructions cloned"}},
    {"replace", {"values replaced", "psis seen through", "psis read for an argument"}},
    {"speculate", {"definitions speculated"}},
    {"nest", {"psis inlined", "psis split", "arguments added", "arguments dropped"}},
    {"promote", {"guards promoted", "guards shrunk"}},
    {"permute", {"arguments permuted"}},
    {"move",
     {"instructions moved", "instructions moved to another block", "blocks with phis in another order"}},
};

ScrambleOptions only(std::string_view step, uint32_t seed = 0) {
  ScrambleOptions options = {seed, false, false, false, false, false, false, false, false};
  for (auto [name, wanted] : {std::pair("fold", &options.fold),
                              {"extend", &options.extend},
                              {"replace", &options.replace},
                              {"speculate", &options.speculate},
                              {"nest", &options.nest},
                              {"promote", &options.promote},
                              {"permute", &options.permute},
                              {"move", &options.move}}) {
    if (step == name) *wanted = true;
  }
  return options;
}

Counters scramble_all(Module& module, const ScrambleOptions& options) {
  Counters counters;
  for_each_body(module, [&](Function& function) {
    Analyses analyses(function);
    scramble_ssa(function, analyses, options, counters);
  });
  Result<void> verified = verifies(module);
  EXPECT_TRUE(verified) << render(verified, "result", {}) << print(module);
  return counters;
}

Module scrambled_input(uint64_t seed, uint64_t size = 100) {
  GenerateOptions options;
  options.seed = seed;
  options.size = size;
  constexpr std::array kShapes = {Shape::Structured, Shape::Irreducible, Shape::Straight, Shape::Mixed};
  options.shape = kShapes[seed % kShapes.size()];
  Module module = generate(options);
  for_each_body(module, [&](Function& function) {
    Analyses analyses(function);
    Counters counters;
    StepTimes times;
    construct(function, analyses, {}, counters, times);
  });
  return module;
}

// Programs from the generator mean what they meant, and all that a pass made of them verifies.
void fuzz_passes(std::string_view passes, uint64_t count) {
  Result<PassList> list = parse_passes(PassTable::builtin(), passes);
  ASSERT_TRUE(list) << list.diagnostics().first_error();
  FuzzOptions options;
  options.count = count;
  FuzzReport report = fuzz(*list, options);
  EXPECT_EQ(report.programs, count);
  for (const FuzzFailure& failure : report.failures) {
    ADD_FAILURE() << passes << ": " << failure.reduced_why << "\n" << failure.reduced;
  }
}

TEST(Scramble, RefinesPrograms) {
  fuzz_passes("construct,scramble", 250);
  fuzz_passes("construct(fold=off),scramble(seed=1)", 250);
  fuzz_passes("construct(psi-inline=on),scramble(seed=2)", 250);
  fuzz_passes("construct(flavour=minimal),scramble(seed=3),scramble(seed=4)", 250);
}

TEST(Scramble, RefinesProgramsStepByStep) {
  for (const auto& [step, counters] : kCounters) {
    std::string passes = "construct(fold=off,psi-inline=on)";
    for (int seed : {0, 1}) {
      passes += ",scramble(seed=" + std::to_string(seed);
      for (const auto& [other, others_counters] : kCounters) {
        if (other != step) passes += "," + other + "=off";
      }
      passes += ")";
    }
    fuzz_passes(passes, 120);
  }
}

TEST(Scramble, DoesAllThatItCan) {
  Counters counters;
  for (uint64_t seed = 0; seed < 200; ++seed) {
    Module module = scrambled_input(seed);
    counters.add(scramble_all(module, {}));
  }
  for (const auto& [step, names] : kCounters) {
    for (const std::string& name : names) EXPECT_GT(counters[name], 50u) << name;
  }
}

TEST(Scramble, DoesOnlyWhatItIsAskedTo) {
  for (const auto& [step, names] : kCounters) {
    std::set<std::string> counted;
    for (uint64_t seed = 0; seed < 40; ++seed) {
      Module module = scrambled_input(seed);
      Counters counters = scramble_all(module, only(step));
      for (const auto& [name, count] : counters.all()) counted.insert(name);
    }
    EXPECT_FALSE(counted.empty()) << step;
    for (const std::string& name : counted) {
      EXPECT_TRUE(std::ranges::find(names, name) != names.end()) << step << ": " << name;
    }
  }
  Module module = scrambled_input(1);
  std::string text = print(module);
  EXPECT_TRUE(scramble_all(module, only("")).all().empty());
  EXPECT_EQ(print(module), text);
}

TEST(Scramble, IsTheSameForTheSameSeed) {
  uint32_t different = 0;
  for (uint64_t seed = 0; seed < 40; ++seed) {
    Module first = scrambled_input(seed), second = first, third = first;
    ScrambleOptions options;
    scramble_all(first, options);
    scramble_all(second, options);
    options.seed = 1;
    scramble_all(third, options);
    EXPECT_EQ(print(first), print(second));
    different += print(first) != print(third);
  }
  EXPECT_GT(different, 35u);
}

// How many functions are not in conventional form?
uint32_t count_unconventional(Module module) {
  uint32_t count = 0;
  for_each_body(module, [&](Function& function) {
    function.form = Form::Conventional;
    Result<void> verified = verifies(module, function);
    count += !verified;
  });
  return count;
}

TEST(Scramble, MakesFormsUnconventional) {
  uint32_t before = 0, after = 0, functions = 0;
  for (uint64_t seed = 0; seed < testing::iterations(200u); ++seed) {
    Module module = scrambled_input(seed);
    for_each_body(module, [&](Function&) { ++functions; });
    before += count_unconventional(module);
    scramble_all(module, {});
    after += count_unconventional(module);
  }
  EXPECT_LT(before, functions / 2);
  EXPECT_GT(after, functions * 3 / 4);
}

// --- Programs in which a wrong step shows -------------------------------------------------------------

// $f on some numbers gives the same as before, whatever the dice say.
void check_all_seeds(std::string_view text) {
  const Module module = parse_or_die(text);
  SymbolId f = module.find_function("f")->symbol;
  InterpretOptions options;
  options.record = true;
  std::set<std::string> results;
  for (uint32_t seed = 0; seed < testing::iterations(300u); ++seed) {
    Module scrambled = module;
    ScrambleOptions choices;
    choices.seed = seed;
    scramble_all(scrambled, choices);
    results.insert(print(scrambled));
    for (int64_t a : {-1, 0, 2, 4, 6, 8, 10, 20, 30}) {
      std::array arguments = {Value{static_cast<uint64_t>(a) & value_mask(Type::i32)}};
      Result<void> refined =
          refines(interpret(module, f, arguments, options), interpret(scrambled, f, arguments, options));
      ASSERT_TRUE(refined) << refined.message() << " for " << a << "\n" << print(scrambled);
    }
  }
  EXPECT_GT(results.size(), 20u);
}

// %q is undef where %a is 10 or more, and the psi does not read it there.
TEST(Scramble, ReadsNoGuardThatMayBeUndef) {
  check_all_seeds(R"(func $f(%a: i32) -> i32 ssa {
@entry:
  %p = cmp.lt.i32 %a, 10
  %p ? %q = cmp.lt.i32 %a, 5
  %r = cmp.lt.i32 %a, 3
  %b = add.i32 %a, 1
  %c = add.i32 %a, 2
  %r ? %d = add.i32 %a, 3
  %x = psi %a, %q ? %b, !%p ? %c
  %y = psi %x, %r ? %d
  %z = mul.i32 %x, %y
  ret %z
}
)");
}

// The inner psi stops at the guard that is true where %q is undef; the outer one excludes that guard.
TEST(Scramble, ReadsNoInnerGuardThatMayBeUndef) {
  check_all_seeds(R"(func $f(%a: i32) -> i32 ssa {
@entry:
  %large = cmp.ge.i32 %a, 10
  !%large ? %q = cmp.lt.i32 %a, 5
  %p = cmp.lt.i32 %a, 7
  %b = add.i32 %a, 1
  %c = add.i32 %a, 2
  %d = add.i32 %a, 3
  %x = psi %b, %q ? %c, %large ? %d
  %y = psi %a, %p ? %x
  ret %y
}
)");
}

TEST(Scramble, ReadsNoUndefGuardAboveACallThatExits) {
  check_all_seeds(R"(extern func $exit(i32) noreturn

func $f(%a: i32) -> i32 ssa {
@entry:
  %p = cmp.lt.i32 %a, 10
  %p ? %q = cmp.lt.i32 %a, 5
  !%p ? call $exit(3)
  %q ? %b = add.i32 %a, 1
  %x = psi %a, %q ? %b
  ret %x
}
)");
}

TEST(Scramble, ReadsNoUndefGuardAboveABranch) {
  check_all_seeds(R"(func $f(%a: i32) -> i32 ssa {
@entry:
  %p = cmp.lt.i32 %a, 10
  %p ? %q = cmp.lt.i32 %a, 5
  br %p, @small, @large
@small:
  %q ? %b = add.i32 %a, 1
  %x = psi %a, %q ? %b
  br @large
@large:
  %y = phi [@entry: %a], [@small: %x]
  ret %y
}
)");
}

// The two phis read alike, but not at the same time.
TEST(Scramble, TellsPhisOfDifferentBlocksApart) {
  check_all_seeds(R"(func $f(%a: i32) -> i32 ssa {
@entry:
  %p = cmp.lt.i32 %a, 10
  %q = cmp.lt.i32 %a, 5
  %b = add.i32 %a, 1
  br %p, @then, @join
@then:
  br @join
@join:
  %x = phi [@entry: %a], [@then: %b]
  br %q, @next, @last
@next:
  br @last
@last:
  %y = phi [@join: %a], [@next: %b]
  %z = mul.i32 %x, %y
  ret %z
}
)");
}

// A value that comes around a loop is not the one that goes into the next turn.
TEST(Scramble, DistinguishesIterationsOfALoop) {
  check_all_seeds(R"(func $f(%a: i32) -> i32 ssa {
@entry:
  %n = and.i32 %a, 7
  br @loop
@loop:
  %i = phi [@entry: 0], [@loop: %next]
  %x = phi [@entry: %a], [@loop: %y]
  %y = phi [@entry: 1], [@loop: %x]
  %last = phi [@entry: 5], [@loop: %i]
  %next = add.i32 %i, 1
  %more = cmp.lt.i32 %next, %n
  br %more, @loop, @exit
@exit:
  %s = mul.i32 %x, 3
  %t = add.i32 %s, %y
  %u = mul.i32 %t, %last
  %v = add.i32 %u, %n
  ret %v
}
)");
}

TEST(Scramble, LargeFunctions) {
  GenerateOptions options;
  options.size = 10'000;
  options.functions = 1;
  options.shape = Shape::Straight;
  Module module = generate(options);
  for_each_body(module, [&](Function& function) {
    Analyses analyses(function);
    Counters counters;
    StepTimes times;
    construct(function, analyses, {}, counters, times);
  });
  EXPECT_GT(scramble_all(module, {})["instructions moved"], 1000u);
}

}  // namespace
}  // namespace psi
