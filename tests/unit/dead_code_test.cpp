#include "psi/optimise/dead_code.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "pass_testing.h"

namespace psi {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using testing::parse_or_die;
using testing::RunOnFunction;
using testing::run_pass;

TEST(Adce, CountsWhatItRemoves) {
  Module module = parse_or_die(R"(
func $f(%a: i32, %p: i1) -> i32 ssa {
@entry:
  %s = slot 4, align 4
  store.i32 %a, %s
  %q, %r = cmpp.un.uc.lt.i32 %a, 3
  %q ? %x = add.i32 %a, 1
  %r ? %y = add.i32 %a, 2
  %z = psi %a, %r ? %y
  br %p, @b, @c
@b:
  br @c
@c:
  ret %z
}
)");
  RunOnFunction run = run_pass(module, "adce", "f");
  EXPECT_EQ(run.counters["instructions removed"], 4u);  // the slot, the store, %x, and what was in @b
  EXPECT_EQ(run.counters["guarded instructions removed"], 1u);
  EXPECT_EQ(run.counters["slots removed"], 1u);
  EXPECT_EQ(run.counters["compare targets removed"], 1u);
  EXPECT_EQ(run.counters["branches removed"], 1u);
  EXPECT_THAT(run.text, HasSubstr("%r = cmp.ge.i32 %a, 3"));
}

// Each target reads the one before; nothing may go as deep as that.
TEST(Adce, TakesLongChains) {
  constexpr int kTargets = 100000;
  std::string text = "func $f(%a: i32) -> i1 ssa {\n@entry:\n  %p0 = mov.i1 false\n";
  for (int i = 1; i <= kTargets; ++i) {
    text += fmt::format("  %p{}, %q{} = cmpp.on.un.eq.i32 %a, {} old %p{}\n", i, i, i, i - 1);
  }
  Module module = parse_or_die(text + fmt::format("  ret %p{}\n}}\n", kTargets));
  EXPECT_EQ(run_pass(module, "adce", "f").counters["compare targets removed"], uint64_t{kTargets});
}

// Without the branches between them, the blocks of 10,000 diamonds follow each other.
TEST(Adce, RemovesDiamondsAllAtOnce) {
  constexpr int kDiamonds = 10000;
  std::string text = "func $f(%p: i1) ssa {\n@entry:\n  br @a0\n";
  for (int i = 0; i < kDiamonds; ++i) {
    text += fmt::format("@a{0}:\n  br %p, @b{0}, @c{0}\n@b{0}:\n  br @a{1}\n@c{0}:\n  br @a{1}\n", i, i + 1);
  }
  Module module = parse_or_die(text + fmt::format("@a{}:\n  ret\n}}\n", kDiamonds));
  RunOnFunction run = run_pass(module, "adce", "f");
  EXPECT_EQ(run.counters["branches removed"], uint64_t{kDiamonds});
  run_pass(module, "simplify-cfg", "f");
  EXPECT_EQ(module.find_function("f")->layout().size(), 1u);
}

TEST(SimplifyCfg, MergesLongChains) {
  constexpr int kBlocks = 100000;
  std::string text = "func $f(%x0: i32) -> i32 ssa {\n@entry:\n  br @b1\n";
  for (int i = 1; i <= kBlocks; ++i) {
    text += fmt::format("@b{0}:\n  %y{0} = phi [@{1}: %x{2}]\n  %x{0} = add.i32 %y{0}, 1\n  br @b{3}\n", i,
                        i == 1 ? "entry" : fmt::format("b{}", i - 1), i - 1, i + 1);
  }
  Module module = parse_or_die(text + fmt::format("@b{}:\n  ret %x{}\n}}\n", kBlocks + 1, kBlocks));
  RunOnFunction run = run_pass(module, "simplify-cfg", "f");
  EXPECT_EQ(run.counters["blocks merged"], uint64_t{kBlocks + 1});
  const Function& function = *module.find_function("f");
  EXPECT_EQ(function.layout().size(), 1u);
  EXPECT_EQ(function.insts(function.entry()).size(), size_t{kBlocks + 1});
}

// Nested branches with equal results are folded from the inside out, in one iteration.
TEST(SimplifyCfg, FoldsDeepNests) {
  constexpr int kDepth = 20000;
  std::string text = "func $f(%p: i1, %q: i1) ssa {\n@entry:\n  br @a0\n", ends;
  for (int i = 0; i < kDepth; ++i) {
    text += fmt::format("@a{}:\n  %p{} = xor.i1 %p, %q\n  br %p{}, @a{}, @e{}\n", i, i, i, i + 1, i);
    ends += fmt::format("@e{}:\n  br @e{}\n", kDepth - i, kDepth - i - 1);
  }
  text += fmt::format("@a{}:\n  br @e{}\n", kDepth, kDepth) + ends + "@e0:\n  ret\n}\n";
  Module module = parse_or_die(text);
  run_pass(module, "adce", "f");
  run_pass(module, "simplify-cfg", "f");
  EXPECT_EQ(module.find_function("f")->layout().size(), 1u);
}

TEST(SimplifyCfg, SumsCounts) {
  Module module = parse_or_die(R"(
global $out align 4 { zero 4 }
func $f(%x: i32) -> i32 ssa {
@entry: count 10
  switch.i32 %x, @a, [1: @b], [2: @c], [3: @a], counts 1 2 3 4
@a: count 5
  store.i32 1, $out
  ret 1
@b: count 2
  ret 2
@c: count 3
  ret 2
}
)");
  RunOnFunction run = run_pass(module, "simplify-cfg", "f");
  EXPECT_THAT(run.text, HasSubstr("@b: count 5"));
  EXPECT_THAT(run.text, Not(HasSubstr("@c")));
  EXPECT_THAT(run.text, HasSubstr("counts 5 2 3"));
}

}  // namespace
}  // namespace psi
