#include "psi/predicate/predicates.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "interp_test_util.h"
#include "parsing.h"
#include "predicate_testing.h"

namespace psi {
namespace {

using testing::holds;
using testing::parse_function;
using testing::reg_named;

// The terms of an SSA function's registers, by name.
class Named {
 public:
  explicit Named(std::string_view text)
      : function_(parse_function(text)), analyses_(function_), predicates_(function_, analyses_) {}
  Term operator[](std::string_view name) { return predicates_.value(reg_named(function_, name)); }
  PredicateTerms& terms() { return predicates_.terms(); }
  Predicates& predicates() { return predicates_; }
  const Function& function() { return function_; }
  Analyses& analyses() { return analyses_; }

 private:
  Function function_;
  Analyses analyses_;
  Predicates predicates_;
};

// --- What is seen ---------------------------------------------------------------------------------------

// Johnson and Schlansker, section 3.3.
TEST(Predicates, ExampleOfThePaper) {
  Named of(
      "func $f(%a: i32, %b: i32, %c: i32, %d: i32) ssa {\n@e:\n"
      "  %p, %q = cmpp.uc.un.lt.i32 %a, %b\n"
      "  %t1 = cmpp.uc.lt.i32 %a, %b\n"
      "  %r, %s = cmpp.un.uc.ne.i32 %c, %d if %q\n"
      "  %t2 = cmpp.on.ne.i32 %c, %d if %q old %t1\n"
      "  ret\n}\n");
  PredicateTerms& terms = of.terms();
  EXPECT_EQ(of["p"], of["t1"]);
  EXPECT_EQ(of["q"], !of["p"]);
  EXPECT_EQ(terms.both(of["r"], of["s"]), Term::never());
  EXPECT_EQ(terms.either(of["r"], of["s"]), of["q"]);
  EXPECT_EQ(of["t2"], terms.either(of["p"], of["r"]));
  EXPECT_EQ(terms.both(of["s"], of["t2"]), Term::never());
  EXPECT_EQ(terms.either(of["s"], of["t2"]), Term::always());
}

TEST(Predicates, ExampleOfThePaperInPlainForm) {
  Function function = parse_function(
      "func $f(%a: i32, %b: i32, %c: i32, %d: i32) {\n@e:\n"
      "  %p, %q = cmpp.uc.un.lt.i32 %a, %b\n"
      "  %t = cmpp.uc.lt.i32 %a, %b\n"
      "  %r, %s = cmpp.un.uc.ne.i32 %c, %d if %q\n"
      "  %t = cmpp.on.ne.i32 %c, %d if %q\n"
      "  ret\n}\n");
  Predicates predicates(function, function.entry());
  PredicateTerms& terms = predicates.terms();
  std::span<const InstId> insts = function.insts(function.entry());
  Term p = predicates.value_of(insts[0], 0), r = predicates.value_of(insts[2], 0);
  EXPECT_EQ(predicates.value_of(insts[1], 0), p);
  EXPECT_EQ(predicates.value_of(insts[0], 1), !p);
  EXPECT_EQ(predicates.value_of(insts[3], 0), terms.either(p, r));
  EXPECT_EQ(predicates.value(reg_named(function, "t")), predicates.value_of(insts[3], 0));
  EXPECT_EQ(terms.both(predicates.value_of(insts[2], 1), predicates.value_of(insts[3], 0)), Term::never());
  EXPECT_EQ(predicates.written(insts[3], 0), r);
}

TEST(Predicates, CopiesAndConstantsAreFollowed) {
  Named of(
      "func $f(%a: i32, %b: i32, %p: i1) ssa {\n@e:\n"
      "  %x = mov %a\n"
      "  %p ? %y = mov %x\n"
      "  %three = mov.i32 3\n"
      "  %q1 = cmp.lt.i32 %a, %b\n"
      "  %q2 = cmp.gt.i32 %b, %y\n"
      "  %r1 = cmp.lt.i32 %a, 3\n"
      "  %r2 = cmp.gt.i32 %three, %x\n"
      "  %s = cmp.ult.i32 -1, %three\n"
      "  %t = cmp.ge.ptr null, null\n"
      "  ret\n}\n");
  EXPECT_EQ(of["q1"], of["q2"]);
  EXPECT_EQ(of["r1"], of["r2"]);
  EXPECT_NE(of["q1"], of["r1"]);
  EXPECT_EQ(of["s"], Term::never());
  EXPECT_EQ(of["t"], Term::always());
}

TEST(Predicates, LogicOfPredicates) {
  Named of(
      "func $f(%p: i1, %q: i1) ssa {\n@e:\n"
      "  %m = mov %p\n"
      "  %n = not.i1 %m\n"
      "  %and = and.i1 %p, %q\n"
      "  %or = or.i1 %n, %q\n"
      "  %xor = xor.i1 %q, %p\n"
      "  %eq = cmp.eq.i1 %p, %q\n"
      "  %less = cmp.lt.i1 %p, %q\n"
      "  %below = cmp.ult.i1 %p, %q\n"
      "  %select = select %p, %q, false\n"
      "  %psi = psi false, %p ? %q\n"
      "  %u = xor.i1 %p, undef\n"
      "  %v = xor.i1 %p, undef\n"
      "  ret\n}\n");
  PredicateTerms& terms = of.terms();
  Term p = of["p"], q = of["q"];
  EXPECT_EQ(of["n"], !p);
  EXPECT_EQ(of["and"], terms.both(p, q));
  EXPECT_EQ(of["or"], !terms.both(p, !q));
  EXPECT_EQ(of["eq"], !of["xor"]);
  EXPECT_EQ(of["less"], terms.both(p, !q));
  EXPECT_EQ(of["below"], terms.both(!p, q));
  EXPECT_EQ(of["select"], of["and"]);
  EXPECT_EQ(of["psi"], of["and"]);
  EXPECT_NE(of["u"], of["v"]);
}

TEST(Predicates, PhisHaveTheCommonTermOrTheirOwn) {
  Named of(
      "func $f(%a: i32, %b: i1) ssa {\n"
      "@e:\n  %p = cmp.lt.i32 %a, 3\n  br %b, @l, @r\n"
      "@l:\n  %pl = cmp.gt.i32 3, %a\n  br @loop\n"
      "@r:\n  %pr = cmp.lt.i32 %a, 3\n  br @loop\n"
      "@loop:\n"
      "  %back = phi [@l: %p], [@r: %p], [@loop: %next]\n"
      "  %stays = phi [@l: %pl], [@r: %pr], [@loop: %p]\n"
      "  %differs = phi [@l: %pl], [@r: %b], [@loop: %p]\n"
      "  %param = phi [@l: %b], [@r: %b], [@loop: %b]\n"
      "  %always = phi.i1 [@l: true], [@r: true], [@loop: true]\n"
      "  %undef = phi [@l: undef], [@r: %p], [@loop: %p]\n"
      "  %next = not.i1 %back\n"
      "  br %next, @loop, @out\n"
      "@out:\n  ret\n}\n");
  EXPECT_EQ(of["stays"], of["p"]);
  EXPECT_EQ(of["param"], of["b"]);
  EXPECT_EQ(of["always"], Term::always());
  for (const char* name : {"back", "differs", "undef"}) {
    Term term = of[name];
    ASSERT_EQ(of.terms().kind(term), PredicateTerms::Kind::Condition);
    Operand of_value = of.predicates().numbered_value(of.terms().condition(term).left).operand;
    EXPECT_EQ(of_value, Operand::reg(reg_named(of.function(), name)));
  }
  EXPECT_EQ(of["next"], !of["back"]);
}

TEST(Predicates, RegistersOfPlainFormChange) {
  Function function = parse_function(
      "func $f(%a: i32, %b: i32, %p: i1) {\n@e:\n"
      "  %q = cmp.lt.i32 %a, %b\n"
      "  %x = mov %a\n"
      "  %p ? %a = mov %b\n"
      "  %r = cmp.lt.i32 %a, %b\n"
      "  %s = cmp.lt.i32 %x, %b\n"
      "  %q ? %p = mov %s\n"
      "  !%p ? store.i32 %a, null\n"
      "  ret\n}\n");
  Predicates predicates(function, function.entry());
  PredicateTerms& terms = predicates.terms();
  std::span<const InstId> insts = function.insts(function.entry());
  auto of = [&](size_t inst) { return predicates.value_of(insts[inst], 0); };
  EXPECT_NE(of(0), of(3));
  EXPECT_EQ(of(0), of(4));
  Term p = predicates.guard(insts[2]);
  EXPECT_EQ(terms.condition(p).kind, Condition::Kind::Bit);
  EXPECT_EQ(of(5), terms.either(of(0), p));
  EXPECT_EQ(predicates.guard(insts[6]), !of(5));
  EXPECT_EQ(predicates.guard(insts[7]), Term::always());
  const NumberedValue& changed = predicates.numbered_value(terms.condition(of(3)).right);
  EXPECT_EQ(changed.operand, Operand::reg(reg_named(function, "a")));
  EXPECT_EQ(changed.version, 1u);
}

// --- cmpp against the interpreter -----------------------------------------------------------------------

const std::vector<std::string> kActions = {"un", "uc", "on", "oc", "an", "ac", "cn", "cc"};

// Where each action writes.
bool writes(const std::string& action, bool input, bool result) {
  bool c = result != (action[1] == 'c');
  switch (action[0]) {
    case 'u':
      return true;
    case 'o':
      return input && c;
    case 'a':
      return input && !c;
    default:
      return input;
  }
}

// Both targets of one cmpp, under a guard, with all values of the guard, the input and the old contents.
void check_cmpp(const std::string& first, const std::string& second, bool negated, bool ssa) {
  auto is_partial = [](const std::string& action) { return action[0] != 'u'; };
  std::string old;
  if (ssa && is_partial(first)) old += " old %p0";
  if (ssa && is_partial(second)) old += old.empty() ? " old %q0" : ", %q0";
  std::string head = "func $f(%a: i8, %b: i8, %r: i1, %g: i1, %p0: i1, %q0: i1) -> i8";
  std::string cmpp = fmt::format("cmpp.{}.{}.lt.i8 %a, %b if {}%r{}", first, second, negated ? "!" : "", old);
  std::string body = ssa ? fmt::format(
                               "  %g ? %p1, %q1 = {}\n  %p = psi %p0, %g ? %p1\n"
                               "  %q = psi %q0, %g ? %q1\n",
                               cmpp)
                         : fmt::format("  %p = mov %p0\n  %q = mov %q0\n  %g ? %p, %q = {}\n", cmpp);
  Module module = interp_test::parse_program(
      fmt::format("{}{} {{\n@e:\n{}  %x = zext.i1.i8 %p\n  %y = zext.i1.i8 %q\n  %z = shl.i8 %y, 1\n"
                  "  %w = or.i8 %x, %z\n  ret %w\n}}\n",
                  head, ssa ? " ssa" : "", body));
  const Function& function = *module.find_function("f");
  Analyses analyses(function);
  Predicates predicates = ssa ? Predicates(function, analyses) : Predicates(function, function.entry());
  InstId inst = function.insts(function.entry())[ssa ? 0 : 2];
  Term p = predicates.value(reg_named(function, "p")), q = predicates.value(reg_named(function, "q"));
  for (uint32_t bits = 0; bits < 32; ++bits) {
    std::vector<Value> arguments = {{bits & 1 ? 2u : 1u}, {bits & 1 ? 1u : 2u}};
    for (int i = 1; i <= 4; ++i) arguments.push_back({bits >> i & 1});
    auto value = [&](ValueNumber n) {
      return arguments[predicates.numbered_value(n).operand.reg().index()].bits;
    };
    auto is_true = [&](Term term) { return holds(predicates.terms(), term, value); };
    EXPECT_TRUE(interp_test::returns(interp_test::run(module, arguments),
                                     (is_true(p) ? 1u : 0u) | (is_true(q) ? 2u : 0u)))
        << cmpp << " " << bits;
    bool result = !(bits & 1), input = (bits >> 1 & 1) != (negated ? 1u : 0u), guard = bits >> 2 & 1;
    EXPECT_EQ(is_true(predicates.guard(inst)), guard);
    EXPECT_EQ(is_true(predicates.written(inst, 0)), guard && writes(first, input, result)) << cmpp;
    EXPECT_EQ(is_true(predicates.written(inst, 1)), guard && writes(second, input, result)) << cmpp;
  }
}

TEST(Predicates, EveryPairOfActions) {
  for (const std::string& first : kActions) {
    for (const std::string& second : kActions) {
      for (bool negated : {false, true}) {
        check_cmpp(first, second, negated, false);
        check_cmpp(first, second, negated, true);
      }
    }
  }
}

}  // namespace
}  // namespace psi
