#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "optimise/constants/constants.h"
#include "pass_testing.h"
#include "psi/optimise/propagate.h"

namespace psi {
namespace {

using optimise::Constant;
using optimise::ConstantMemory;
using ::testing::HasSubstr;
using testing::parse_or_die;
using testing::run_pass;

TEST(Sccp, UndefMeetsAnything) {
  Constant undef, one = Constant::known(1), two = Constant::known(2), varying = Constant::varying();
  EXPECT_EQ(meet(undef, one), one);
  EXPECT_EQ(meet(one, undef), one);
  EXPECT_EQ(meet(one, one), one);
  EXPECT_EQ(meet(one, two), varying);
  EXPECT_EQ(meet(undef, varying), varying);
  EXPECT_EQ(meet(one, Constant::address(SymbolId(0), 1)), varying);
}

TEST(Sccp, ReadsConstantMemory) {
  Module module = parse_or_die(R"(
const $c align 8 { i32 -2, "xyz", i8 1, ptr $c + 4, zero 4, f32 1.5, i1 true }
global $g align 4 { i32 1 }
extern const $e size 8 align 8
extern func $f()
)");
  ConstantMemory memory(module);
  SymbolId c = *module.find_symbol("c");
  EXPECT_EQ(memory.load(Type::i32, c, 0), Constant::known(0xfffffffe));
  EXPECT_EQ(memory.load(Type::i16, c, 3), Constant::known(0x78ff));  // across two pieces
  EXPECT_EQ(memory.load(Type::i32, c, 4), Constant::known(0x017a7978));
  EXPECT_EQ(memory.load(Type::ptr, c, 8), Constant::address(c, 4));
  EXPECT_EQ(memory.load(Type::i64, c, 8), Constant::varying());  // an address as a number
  EXPECT_EQ(memory.load(Type::i32, c, 14), Constant::varying());
  EXPECT_EQ(memory.load(Type::i32, c, 16), Constant::known(0));
  EXPECT_EQ(memory.load(Type::f32, c, 20), Constant::known(0x3fc00000));
  EXPECT_EQ(memory.load(Type::i1, c, 24), Constant::known(1));
  EXPECT_EQ(memory.load(Type::i1, c, 4), Constant::varying());    // neither 0 nor 1
  EXPECT_EQ(memory.load(Type::i32, c, 22), Constant::varying());  // beyond the end
  EXPECT_EQ(memory.load(Type::i32, c, UINT64_MAX), Constant::varying());
  for (const char* name : {"g", "e", "f"}) {
    EXPECT_EQ(memory.load(Type::i32, *module.find_symbol(name), 0), Constant::varying()) << name;
  }
}

TEST(Sccp, SaysWhatItFound) {
  Module module = parse_or_die(R"(
func $f(%a: i32) -> i32 ssa {
@entry:
  %x = add.i32 2, 3
  %y = add.i32 %x, %a
  ret %y
}
)");
  testing::RunOnFunction run = run_pass(module, "sccp", "f");
  EXPECT_EQ(run.counters["constants found"], 1u);
  ASSERT_EQ(run.remarks.all().size(), 1u);
  EXPECT_EQ(run.remarks.all()[0].subject, "%x");
  EXPECT_EQ(run.remarks.all()[0].message, "is always 5");
  EXPECT_THAT(run.text, HasSubstr("add.i32 5, %a"));
}

TEST(Sccp, CanDoWithoutFacts) {
  constexpr std::string_view kText = R"(
func $f(%a: i32) -> i32 ssa {
@entry:
  %p = cmp.eq.i32 %a, 3
  br %p, @b, @c
@b:
  ret %a
@c:
  ret 0
}
)";
  Module with = parse_or_die(kText), without = parse_or_die(kText);
  EXPECT_THAT(run_pass(with, "sccp", "f").text, HasSubstr("ret 3"));
  EXPECT_THAT(run_pass(without, "sccp(facts=off)", "f").text, HasSubstr("ret %a"));
}

// Registers that are called stay registers, so what defines them must stay.
TEST(Sccp, KeepsWhatIsCalled) {
  Module module = parse_or_die(R"(
extern func $g()
func $f() ssa {
@entry:
  %f = mov.ptr $g
  call %f()
  ret
}
)");
  EXPECT_THAT(run_pass(module, "sccp", "f").text, HasSubstr("%f = mov.ptr $g"));
}

// A phi of 20,000 entries, each of which becomes known by itself.
TEST(Sccp, TakesWidePhis) {
  constexpr int kCases = 20000;
  std::string cases, blocks, entries;
  for (int i = 0; i < kCases; ++i) {
    cases += fmt::format(", [{}: @b{}]", i, i);
    blocks += fmt::format("@b{}:\n  %x{} = add.i32 3, 4\n  br @join\n", i, i);
    entries += fmt::format("{}[@b{}: %x{}]", i == 0 ? "" : ", ", i, i);
  }
  Module module = parse_or_die(fmt::format(R"(
func $f(%a: i32) -> i32 ssa {{
@entry:
  switch.i32 %a, @none{}
@none:
  unreachable
{}@join:
  %x = phi.i32 {}
  ret %x
}}
)",
                                           cases, blocks, entries));
  EXPECT_THAT(run_pass(module, "sccp", "f").text, HasSubstr("ret 7"));
}

}  // namespace
}  // namespace psi
