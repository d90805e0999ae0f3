// Predicated SSA: how regions become one block, and how far paths are told apart.
#include "psi/predication/predicated_ssa.h"

#include <fmt/format.h>

#include "interp_test_util.h"
#include "pass_testing.h"

namespace psi::testing {
namespace {

// A chain of diamonds, each with a value of its own; all values are read at the end, so that there are 2^n
// paths.
std::string diamonds(int n) {
  std::string text = "func $f(%x: i32) -> i32 ssa {\n@d0:\n  br @t0\n";
  for (int i = 0; i < n; ++i) {
    text +=
        fmt::format("@t{}:\n  %b{} = and.i32 %x, {}\n  %c{} = cmp.ne.i32 %b{}, 0\n  br %c{}, @y{}, @n{}\n", i,
                    i, 1 << i, i, i, i, i, i);
    text += fmt::format("@y{}:\n  %u{} = add.i32 %x, {}\n  br @j{}\n", i, i, i, i);
    text += fmt::format("@n{}:\n  %v{} = sub.i32 %x, {}\n  br @j{}\n", i, i, i, i);
    text += fmt::format("@j{}:\n  %w{} = phi [@y{}: %u{}], [@n{}: %v{}]\n  br @{}\n", i, i, i, i, i, i,
                        i + 1 < n ? fmt::format("t{}", i + 1) : "end");
  }
  text += "@end:\n  %s0 = mov.i32 0\n";
  for (int i = 0; i < n; ++i) {
    text += fmt::format("  %m{} = mul.i32 %s{}, 3\n  %s{} = add.i32 %m{}, %w{}\n", i, i, i + 1, i, i);
  }
  return text + fmt::format("  ret %s{}\n}}\n", n);
}

std::vector<Hyperblock> convert(Module& module, uint32_t max_paths) {
  Function& function = *module.find_function("f");
  Analyses analyses(function);
  Counters counters;
  std::vector<Hyperblock> made = make_hyperblocks(function, analyses, {.max_paths = max_paths}, counters);
  Result<void> verified = verifies(module, function);
  EXPECT_TRUE(verified) << render(verified, "result", {});
  return made;
}

TEST(PredicatedSsa, TellsPathsApartUpToTheLimit) {
  for (uint32_t max_paths : {1u, 4u, 16u}) {
    Module before = interp_test::parse_program(diamonds(5));
    Module after = before;
    std::vector<Hyperblock> made = convert(after, max_paths);
    ASSERT_EQ(made.size(), 1u);
    EXPECT_LE(made[0].paths, max_paths);
    EXPECT_EQ(made[0].blocks, 22u);
    EXPECT_EQ(after.find_function("f")->layout().size(), 1u);
    EXPECT_GT(made[0].refused, 0u);
    for (uint64_t x = 0; x < 32; ++x) {
      EXPECT_EQ(interp_test::run(before, {{x}}).result, interp_test::run(after, {{x}}).result) << x;
    }
  }
}

TEST(PredicatedSsa, CopiesForEachPath) {
  Module module = interp_test::parse_program(diamonds(3));
  std::vector<Hyperblock> made = convert(module, 8);
  ASSERT_EQ(made.size(), 1u);
  EXPECT_EQ(made[0].paths, 8u);
  EXPECT_EQ(made[0].refused, 0u);
  EXPECT_GT(made[0].copies, 0u);
  Function& function = *module.find_function("f");
  Analyses analyses(function);
  EXPECT_EQ(block_statistics(function, analyses, function.entry()).psis, 0u);
}

TEST(PredicatedSsa, LongChainsStayBounded) {
  Module before = interp_test::parse_program(diamonds(31));
  Module after = before;
  std::vector<Hyperblock> made = convert(after, 16);
  ASSERT_EQ(made.size(), 1u);
  Function& function = *after.find_function("f");
  EXPECT_LT(function.insts(function.entry()).size(), 31u * 16u * 16u);
  EXPECT_EQ(interp_test::run(before, {{12345}}).result, interp_test::run(after, {{12345}}).result);
}

TEST(PredicatedSsa, OnlyTheRegionAskedFor) {
  Module module = interp_test::parse_program(
      "func $f(%c: i1, %n: i32) -> i32 ssa {\n"
      "@a:\n  br %c, @b, @d\n@b:\n  br @d\n"
      "@d:\n  %x = phi.i32 [@a: 1], [@b: 2]\n  br @h\n"
      "@h:\n  %i = phi [@d: %x], [@l: %j]\n  %o = cmp.lt.i32 %i, %n\n  br %o, @k, @e\n"
      "@k:\n  br %c, @m, @l\n@m:\n  br @l\n"
      "@l:\n  %s = phi.i32 [@k: 1], [@m: 3]\n  %j = add.i32 %i, %s\n  br @h\n"
      "@e:\n  ret %i\n}\n");
  Function& function = *module.find_function("f");
  Analyses analyses(function);
  Counters counters;
  std::vector<Hyperblock> made =
      make_hyperblocks(function, analyses, {}, counters, find_block(function, "k"));
  ASSERT_EQ(made.size(), 1u);
  EXPECT_EQ(made[0].block, find_block(function, "h"));
  EXPECT_EQ(function.layout().size(), 4u);
  Result<void> verified = verifies(module, function);
  EXPECT_TRUE(verified) << render(verified, "result", {});
  EXPECT_TRUE(interp_test::returns(interp_test::run(module, {{1}, {9}}), 11));
  EXPECT_TRUE(interp_test::returns(interp_test::run(module, {{0}, {9}}), 9));
}

TEST(PredicatedSsa, AgainChangesNothing) {
  Module module = interp_test::parse_program(diamonds(4));
  convert(module, 16);
  std::string once = print(module);
  EXPECT_TRUE(convert(module, 16).empty());
  EXPECT_EQ(print(module), once);
}

}  // namespace
}  // namespace psi::testing
