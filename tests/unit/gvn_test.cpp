#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

#include "parsing.h"
#include "psi/optimise/dse.h"
#include "psi/optimise/guarded_redundancy.h"
#include "psi/optimise/pre.h"
#include "psi/optimise/value_numbering.h"
#include "psi/text/text.h"
#include "psi/verify/verify.h"

namespace psi {
namespace {

using ::testing::HasSubstr;
using testing::parse_or_die;

struct GvnResult {
  std::string text;
  Counters counters;
  Remarks remarks;
};

GvnResult run(std::string_view text, const std::vector<PassOption>& options,
              const std::function<void(PassContext&)>& pass) {
  Module module = parse_or_die(text);
  GvnResult result;
  PassArguments arguments(options);
  for (SymbolId symbol : module.declarations()) {
    if (module.kind(symbol) != SymbolKind::Function || module.function(symbol).is_declaration()) continue;
    Function& function = module.function(symbol);
    Analyses analyses(function);
    StepTimes times;
    result.remarks.begin("pass", module.name(symbol));
    PassContext context{module, function, analyses, arguments, result.counters, times, &result.remarks};
    pass(context);
    EXPECT_TRUE(verifies(module, function));
    result.text += print(module, function);
  }
  return result;
}

TEST(ValueNumbering, CountersInStepAreOne) {
  Module module = parse_or_die(R"(func $f(%n: i32) -> i32 ssa {
@entry:
  br @loop
@loop:
  %i = phi.i32 [@entry: 0], [@loop: %i1]
  %j = phi.i32 [@entry: 0], [@loop: %j1]
  %k = phi.i32 [@entry: 0], [@loop: %k1]
  %i1 = add.i32 %i, 1
  %j1 = add.i32 1, %j
  %k1 = add.i32 %k, 2
  %more = cmp.lt.i32 %i1, %n
  br %more, @loop, @exit
@exit:
  ret %k1
})");
  Function& function = *module.find_function("f");
  Analyses analyses(function);
  ValueNumbering numbers(function, analyses);
  auto number = [&](std::string_view name) {
    for (uint32_t r = 0; r < function.num_regs(); ++r) {
      if (function.name(Reg(r)) == name) return numbers.number(Reg(r));
    }
    return Operand();
  };
  EXPECT_EQ(number("i"), number("j"));
  EXPECT_EQ(number("i1"), number("j1"));
  EXPECT_NE(number("i"), number("k"));
  EXPECT_NE(number("i1"), number("k1"));
}

TEST(ValueNumbering, TheGuardIsPartOfAnExpression) {
  Module module = parse_or_die(R"(func $f(%a: i32, %p: i1, %q: i1) -> i32 ssa {
@entry:
  %p ? %x = add.i32 %a, 1
  %p ? %y = add.i32 %a, 1
  %q ? %z = add.i32 %a, 1
  %w = psi 0, %p ? %x, %p ? %y, %q ? %z
  ret %w
})");
  Function& function = *module.find_function("f");
  Analyses analyses(function);
  ValueNumbering numbers(function, analyses);
  std::span<const InstId> insts = function.insts(function.entry());
  auto number = [&](size_t i) { return numbers.number(function.inst(insts[i]).results[0]); };
  EXPECT_EQ(number(0), number(1));
  EXPECT_NE(number(0), number(2));
}

TEST(Gvn, SaysWhatItDoesAndWhatNot) {
  GvnResult result = run(R"(func $f(%a: i32, %p: i1, %q: i1) -> i32 ssa {
@entry:
  %p ? %x = add.i32 %a, 1
  %p ? %y = add.i32 %a, 1
  %q ? %z = add.i32 %a, 1
  %w = psi 0, %p ? %y, %q ? %z
  ret %w
})",
                         gvn_options(), gvn);
  EXPECT_EQ(result.counters["values replaced"], 1);
  ASSERT_GE(result.remarks.all().size(), 2u);
  EXPECT_EQ(result.remarks.all()[0].subject, "%y");
  EXPECT_THAT(result.remarks.all()[0].message, HasSubstr("replaced by %x"));
  EXPECT_EQ(result.remarks.all()[1].subject, "%z");
  EXPECT_EQ(result.remarks.all()[1].kind, Remark::Kind::Refused);
}

// A call through a register stays one, and so does the register.
TEST(Gvn, CalledRegistersStay) {
  GvnResult result = run(R"(extern func $g(i32) -> i32
func $f(%a: i32) -> i32 ssa {
@entry:
  %p = mov.ptr $g
  %x = call.i32 %p(i32 %a)
  ret %x
})",
                         gvn_options(), gvn);
  EXPECT_THAT(result.text, HasSubstr("%p = mov.ptr $g"));
  EXPECT_THAT(result.text, HasSubstr("call.i32 %p("));
}

// What is known of a register in one scope is forgotten behind it.
TEST(Gvn, FactsEndWithTheirScope) {
  GvnResult result = run(R"(func $f(%a: i32) -> i32 ssa {
@entry:
  %p = cmp.eq.i32 %a, 7
  br %p, @then, @else
@then:
  %x = mul.i32 %a, 2
  br @join
@else:
  %y = mul.i32 %a, 2
  br @join
@join:
  %m = phi [@then: %x], [@else: %y]
  %z = add.i32 %m, %a
  ret %z
})",
                         gvn_options(), gvn);
  EXPECT_THAT(result.text, HasSubstr("[@then: 14]"));
  EXPECT_THAT(result.text, HasSubstr("%y = mul.i32 %a, 2"));
  EXPECT_THAT(result.text, HasSubstr("%z = add.i32 %m, %a"));
}

// The store in the previous iteration went through another pointer of the same name.
TEST(Gvn, PointersOfOtherIterations) {
  GvnResult result = run(R"(func $f(%p: ptr, %n: i32) -> i32 ssa {
@entry:
  br @loop
@loop:
  %i = phi.i32 [@entry: 0], [@next: %j]
  br @next
@next:
  %q = load.volatile.ptr %p
  %x = load.i32 %q
  %j = add.i32 %i, %x
  store.i32 %j, %q
  %more = cmp.lt.i32 %j, %n
  br %more, @loop, @exit
@exit:
  ret %j
})",
                         gvn_options(), gvn);
  EXPECT_THAT(result.text, HasSubstr("%x = load.i32 %q"));
}

TEST(GuardedRedundancy, SaysWhyNot) {
  GvnResult result = run(R"(func $f(%a: i32, %p: i1, %q: i1) -> i32 ssa {
@entry:
  %p ? %x = mul.i32 %a, %a
  %q ? %y = mul.i32 %a, %a
  %z = psi 0, %p ? %x, %q ? %y
  ret %z
})",
                         guarded_redundancy_options(), guarded_redundancy);
  ASSERT_EQ(result.remarks.all().size(), 1u);
  EXPECT_EQ(result.remarks.all()[0].message, "not replaced: this is defined under %q, %x only under %p");
}

TEST(Pre, CountsWhatItInserts) {
  GvnResult result = run(R"(func $f(%n: i32, %p: i1) -> i32 ssa {
@entry:
  br %p, @left, @right
@left:
  %x = mul.i32 %n, 3
  br @join
@right:
  br @join
@join:
  %s = phi [@left: %x], [@right: 0]
  %y = mul.i32 %n, 3
  %z = add.i32 %s, %y
  ret %z
})",
                         pre_options(), pre);
  EXPECT_EQ(result.counters["computations replaced"], 1);
  EXPECT_EQ(result.counters["computations inserted"], 1);
  EXPECT_EQ(result.counters["phis added"], 1);
}

TEST(Dse, ReadsInBetweenKeepStores) {
  GvnResult result = run(R"(func $f(%p: ptr, %q: ptr) -> i32 ssa {
@entry:
  store.i32 1, %p
  store.i32 2, %p
  %x = load.i32 %q
  store.i32 3, %p
  ret %x
})",
                         {}, dse);
  EXPECT_EQ(result.counters["stores removed"], 1);
  EXPECT_THAT(result.text, HasSubstr("store.i32 2, %p"));
}

}  // namespace
}  // namespace psi
