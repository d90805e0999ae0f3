// If-conversion of large regions: how much it adds.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "iterations.h"
#include "parsing.h"
#include "psi/predication/if_convert.h"

namespace psi {
namespace {

// A function with `n` branches on %x.
std::string chain_of_diamonds(int n) {
  std::string text = "func $f(%w0: i32, %out: ptr) -> i32 ssa {\n@t0:\n";
  for (int i = 0; i < n; ++i) {
    text += fmt::format(
        "  %c{0} = cmp.lt.i32 %w{0}, {0}\n  br %c{0}, @y{0}, @n{0}\n"
        "@y{0}:\n  %u{0} = add.i32 %w{0}, {0}\n  br @t{1}\n@n{0}:\n  store.i32 %w{0}, %out\n  br @t{1}\n"
        "@t{1}:\n  %w{1} = phi.i32 [@y{0}: %u{0}], [@n{0}: 7]\n",
        i, i + 1);
  }
  return text + fmt::format("  ret %w{}\n}}\n", n);
}

std::string nested_branches(int n) {
  std::string text = "func $f(%x: i32, %out: ptr) -> i32 ssa {\n";
  for (int i = 0; i < n; ++i) {
    text += fmt::format("@t{0}:\n  %c{0} = cmp.eq.i32 %x, {0}\n  br %c{0}, @t{1}, @j{0}\n", i, i + 1);
  }
  text += fmt::format("@t{0}:\n  store.i32 %x, %out\n  br @j{1}\n", n, n - 1);
  for (int i = n - 1; i >= 0; --i) {
    text += fmt::format("@j{0}:\n  %w{0} = phi.i32 [@{1}: %w{2}], [@t{0}: {0}]\n  br @{3}\n", i,
                        i == n - 1 ? fmt::format("t{}", n) : fmt::format("j{}", i + 1), i + 1,
                        i == 0 ? "end" : fmt::format("j{}", i - 1));
  }
  text.replace(text.find(fmt::format("%w{}]", n)), fmt::format("%w{}", n).size(), "%x");
  return text + "@end:\n  ret %w0\n}\n";
}

// All but the last of its sides lead to one place.
std::string ladder_of_branches(int n) {
  std::string text = "func $f(%x: i32, %out: ptr) -> i32 ssa {\n";
  for (int i = 0; i < n; ++i) {
    text += fmt::format("@t{0}:\n  %c{0} = cmp.eq.i32 %x, {0}\n  br %c{0}, @t{1}, @far\n", i, i + 1);
  }
  return text + fmt::format(
                    "@t{}:\n  store.i32 1, %out\n  br @end\n@far:\n  store.i32 2, %out\n  br @end\n"
                    "@end:\n  ret %x\n}}\n",
                    n);
}

TEST(IfConvert, LargeRegionsGrowByAFactorAtMost) {
  constexpr int kBranches = 10'000;
  struct Large {
    const char* name;
    std::string (*make)(int);
  };
  for (const Large& shape : {Large{"diamonds", chain_of_diamonds}, Large{"nest", nested_branches},
                             Large{"ladder", ladder_of_branches}}) {
    Function original = testing::parse_function(shape.make(testing::iterations(kBranches)));
    for (const char* target : {"playdoh", "ia64", "st231p"}) {
      for (auto regions : {IfConvertOptions::Regions::Hammocks, IfConvertOptions::Regions::Hyperblocks}) {
        SCOPED_TRACE(fmt::format("{} {}", shape.name, target));
        Function function = original;
        Analyses analyses(function);
        Counters counters;
        if_convert(function, analyses, *TargetTable::builtin().find(target),
                   {.mode = IfConvertOptions::Mode::All, .regions = regions}, counters);
        EXPECT_EQ(function.layout().size(), 1u);
        EXPECT_LE(testing::num_instructions(function), 3 * testing::num_instructions(original));
        size_t arguments = 0, before = 0;
        for (InstId id : function.insts(function.entry())) arguments += function.inst(id).count;
        for (BlockId b : original.layout()) {
          for (InstId id : original.insts(b)) before += original.inst(id).count;
        }
        EXPECT_LE(arguments, 3 * before);
      }
    }
  }
}

}  // namespace
}  // namespace psi
