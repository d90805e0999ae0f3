#include "psi/optimise/induction.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <random>

#include "iterations.h"
#include "parsing.h"
#include "psi/analysis/loops.h"
#include "psi/interp/interpret.h"
#include "psi/ir/evaluate.h"
#include "psi/verify/verify.h"

namespace psi {
namespace {

using testing::num_instructions;
using testing::parse_function;
using testing::parse_or_die;

// --- Trip counts ----------------------------------------------------------------------------------------

// All of i8, by counting.
TEST(FirstFailure, AgreesWithCounting) {
  constexpr Cond kConds[] = {Cond::eq, Cond::ne,  Cond::lt,  Cond::le,  Cond::gt,
                             Cond::ge, Cond::ult, Cond::ule, Cond::ugt, Cond::uge};
  std::mt19937 random(1);
  uint64_t known = 0;
  for (int trial = 0; trial < 200'000; ++trial) {
    Cond cond = kConds[random() % 10];
    uint64_t start = random() & 255, bound = random() & 255;
    uint64_t step = random() % 2 ? random() & 255 : (random() % 7 - 3) & 255;
    std::optional<uint64_t> count = first_failure(Type::i8, cond, start, step, bound);
    if (!count) continue;
    ++known;
    uint64_t value = start, k = 0;
    for (; k <= 256 && eval_cond(cond, Type::i8, value, bound); ++k) value = (value + step) & 255;
    ASSERT_EQ(*count, k) << cond_name(cond) << " " << start << " by " << step << " to " << bound;
  }
  EXPECT_GT(known, 100'000u);
}

TEST(FirstFailure, KnowsTheUsualLoops) {
  EXPECT_EQ(first_failure(Type::i32, Cond::lt, 0, 1, 100), 100u);
  EXPECT_EQ(first_failure(Type::i32, Cond::le, 3, 2, 10), 4u);
  EXPECT_EQ(first_failure(Type::i32, Cond::gt, 10, uint64_t{0} - 1, 0), 10u);
  EXPECT_EQ(first_failure(Type::i32, Cond::ne, 6, uint64_t{0} - 2, 0), 3u);
  EXPECT_EQ(first_failure(Type::i64, Cond::ult, 0, 1, UINT64_MAX), UINT64_MAX);
  // Odd numbers never meet an even one; values that wrap are not followed; the bound may be out of reach.
  EXPECT_EQ(first_failure(Type::i32, Cond::ne, 1, 2, 10), std::nullopt);
  EXPECT_EQ(first_failure(Type::i8, Cond::lt, 0, 100, 127), std::nullopt);
  EXPECT_EQ(first_failure(Type::i32, Cond::ge, 0, 1, 0), std::nullopt);
  EXPECT_EQ(first_failure(Type::i8, Cond::le, 0, 1, 127), std::nullopt);
}

// --- The analysis ---------------------------------------------------------------------------------------

constexpr std::string_view kLoop = R"(
func $f(%n: i32, %p: ptr) -> i32 ssa {
@entry:
  br @l
@l:
  %i = phi.i32 [@entry: 3], [@l: %i1]
  %m = phi.i32 [@entry: 0], [@l: %m2]
  %q = phi.ptr [@entry: %p], [@l: %q1]
  %x = phi.i32 [@entry: 1], [@l: %x1]
  %a = mul.i32 %i, 12
  %b = sub.i32 5, %a
  %odd = cmp.eq.i32 %x, 1
  %odd ? %m1 = add.i32 %m, 1
  %m2 = psi %m, %odd ? %m1
  %q1 = ptradd %q, 8
  %x1 = mul.i32 %x, 3
  %i1 = add.i32 2, %i
  %c = cmp.gt.i32 20, %i1
  br %c, @l, @out
@out:
  ret %m2
}
)";

Reg named(const Function& function, std::string_view name) {
  for (uint32_t r = 0; r < function.num_regs(); ++r) {
    if (function.name(Reg(r)) == name) return Reg(r);
  }
  return {};
}

TEST(InductionVariables, FindsVariablesFormsAndTests) {
  Function f = parse_function(kLoop);
  Analyses analyses(f);
  InductionVariables variables(f, analyses);
  ASSERT_EQ(variables.all().size(), 3u);
  EXPECT_EQ(variables.variable(0).phi, named(f, "i"));
  EXPECT_EQ(f.literal_bits(variables.variable(0).step), 2u);
  EXPECT_EQ(variables.variable(1).kind, InductionVariable::Kind::Monotone);
  EXPECT_EQ(variables.variable(1).phi, named(f, "m"));
  EXPECT_EQ(variables.variable(2).type, Type::ptr);

  const LinearForm* form = variables.form(named(f, "b"));
  ASSERT_TRUE(form);
  EXPECT_EQ(form->scale, (uint64_t{0} - 12) & 0xffffffff);
  EXPECT_EQ(form->offset, 5u);
  EXPECT_EQ(variables.value_after(*form, 2), (5 - uint64_t{12} * 7) & 0xffffffff);
  EXPECT_FALSE(variables.form(named(f, "x1")));
  EXPECT_FALSE(variables.form(named(f, "m1")));

  // 5 7 9 ... 19 | 21
  const ExitTest* test = variables.exit_test(LoopId(0));
  ASSERT_TRUE(test);
  EXPECT_EQ(test->cond, Cond::lt);
  EXPECT_EQ(test->tested, named(f, "i1"));
  EXPECT_EQ(test->trip_count, 8u);
}

// --- The pass -------------------------------------------------------------------------------------------

Counters simplify(Module& module, StrengthReduction reduce) {
  Counters counters;
  Function& function = module.function(module.declarations().back());
  Analyses analyses(function);
  induction(function, analyses, {.reduce = reduce, .target = find_target("riscv")}, counters);
  Result<void> verified = verifies(module);
  EXPECT_TRUE(verified) << render(verified, "result", {}) << print(module);
  return counters;
}

// A loop over a counter of few bits, with every sort of reader, that may wrap or not end.
class RandomLoop {
 public:
  explicit RandomLoop(uint32_t seed) : random_(seed) {}

  std::string text() {
    type_ = pick<std::string_view>({"i8", "i8", "i16", "i32"});
    bool has_latch = chance(2), two = chance(2), early = chance(2);
    std::string latch = has_latch ? "@latch" : "@l";
    std::string_view step = pick<std::string_view>({"1", "1", "1", "-1", "2", "3", "-2", "100", "-128"});
    std::string_view start = literal(), other = chance(2) ? start : literal();
    line("extern func $see(i64) nounwind");
    line("func $main(%n: {}) -> i64 ssa {{\n@entry:\n  br @l\n@l:", type_);
    line("  %i = phi.{} [@entry: {}], [{}: %i1]", type_, start, latch);
    if (two) line("  %j = phi.{} [@entry: {}], [{}: %j1]", type_, other, latch);
    line("  %k = phi.i32 [@entry: 0], [{}: %k1]", latch);
    line("  %d = {}.{} %i, {}", pick<std::string_view>({"mul", "add", "sub", "shl"}), type_,
         1 + random_() % 5);
    std::string next = fmt::format("  %i1 = add.{} %i, {}", type_, step);
    std::string_view tested = pick<std::string_view>({"%i", "%i1", "%d"});
    early |= !has_latch || tested == "%i1";
    if (early) line("{}", next);
    for (uint32_t n = random_() % 4; n > 0; --n)
      see(pick<std::string_view>({"%i", "%i", early ? "%i1" : "%i"}));
    if (chance(4)) see("%d");
    if (two) see("%j");
    if (chance(3)) {
      line("  %p = mul.{} %i, {}", type_, pick<std::string_view>({"3", "6", "12", "-4"}));
      see("%p");
    }
    std::string_view bound = chance(3) ? "%n" : literal();
    std::string_view cond = pick<std::string_view>(
        {"eq", "ne", "lt", "le", "gt", "ge", "ult", "ule", "ugt", "uge", "ne", "lt", "lt"});
    bool swaps = chance(4);
    line("  %c = cmp.{}.{} {}, {}", cond, type_, swaps ? bound : tested, swaps ? tested : bound);
    if (has_latch) {
      line("  br %c, {}", chance(2) ? "@latch, @out" : "@out, @latch");
      line("@latch:");
      if (!early) line("{}", next);
    }
    if (two) line("  %j1 = add.{} %j, {}", type_, step);
    line("  %k1 = add.i32 %k, 1");
    if (has_latch) {
      line("  %more = cmp.lt.i32 %k1, 600\n  br %more, @l, @rest\n@rest:\n  call $see(77)\n  br @out");
    } else {
      line("  br %c, @l, @out");
    }
    line("@out:");
    see(pick<std::string_view>({"%i", "%d", early ? "%i1" : "%i"}));
    line("  %z = sext.i32.i64 %k\n  ret %z\n}}");
    return text_;
  }

 private:
  bool chance(uint32_t one_in) { return random_() % one_in == 0; }
  template <class T>
  T pick(std::initializer_list<T> list) {
    return list.begin()[random_() % list.size()];
  }
  std::string_view literal() {
    return pick<std::string_view>(
        {"0", "0", "1", "5", "-3", "20", "60", "100", "126", "127", "-128", "-127"});
  }
  void see(std::string_view r) {
    ++seen_;
    line("  %e{} = {}.{}.i64 {}", seen_, pick<std::string_view>({"sext", "sext", "zext"}), type_, r);
    line("  call $see(%e{})", seen_);
  }
  template <class... Args>
  void line(fmt::format_string<Args...> format, Args&&... args) {
    text_ += fmt::format(format, std::forward<Args>(args)...) + "\n";
  }

  std::mt19937 random_;
  std::string text_;
  std::string_view type_;
  int seen_ = 0;
};

TEST(Induction, RefinesRandomLoops) {
  Counters counters;
  uint64_t finished = 0;
  for (uint32_t seed = 0; seed < testing::iterations(1200u); ++seed) {
    std::string text = RandomLoop(seed).text();
    Module before = parse_or_die(text), after = before;
    StrengthReduction mode = seed % 3 == 0 ? StrengthReduction::On : StrengthReduction::Auto;
    counters.add(simplify(after, mode));
    SymbolId main = before.declarations().back();
    if (mode == StrengthReduction::Auto) {
      ASSERT_LE(num_instructions(after.function(main)), num_instructions(before.function(main))) << text;
    }
    for (uint64_t n : {uint64_t{0}, uint64_t{7}, uint64_t{127}, uint64_t{253}}) {
      std::array arguments = {Value{.bits = n}};
      InterpretOptions options;
      options.fuel = 20'000;
      options.stub_externals = options.record = true;
      Outcome first = interpret(before, main, arguments, options);
      finished += first.status == Outcome::Status::Returned;
      options.fuel *= 2;
      Result<void> refined = refines(first, interpret(after, main, arguments, options));
      ASSERT_TRUE(refined) << refined.message() << "\n" << text << print(after);
    }
    // Once is enough, but that new counters may follow each other.
    if (mode == StrengthReduction::On) continue;
    std::string once = print(after);
    simplify(after, mode);
    ASSERT_EQ(print(after), once) << text;
  }
  EXPECT_GT(finished, testing::iterations(1200u));
  for (std::string_view name :
       {"equal induction variables merged", "shifted induction variables merged", "final values replaced",
        "exit tests simplified", "induction variables widened", "multiplications reduced"}) {
    EXPECT_GT(counters[name], 5u) << name;
  }
}

}  // namespace
}  // namespace psi
