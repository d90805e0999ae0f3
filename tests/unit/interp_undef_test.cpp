// Undef, guards and predicates: the rules that predicated code depends on, one by one.
#include <fmt/format.h>

#include <array>
#include <optional>

#include "interp_test_util.h"

namespace psi::interp_test {
namespace {

constexpr Value kFalse = {0, false};
constexpr Value kTrue = {1, false};
const std::array<Value, 3> kTristate = {kFalse, kTrue, kUndef};

// --- Undef sources ----------------------------------------------------------------------------------

TEST(InterpUndef, PureInstructionsPassItOn) {
  const char* bodies[] = {
      "%r = add.i32 %a, %b",
      "%r = mul.i32 %b, %a",
      "%r = and.i32 %a, 0",
      "%r = or.i32 %a, -1",
      "%r = xor.i32 %a, %a",
      "%r = shl.i32 %b, %a",
      "%r = umin.i32 %a, 0",
      "%r = fshl.i32 %b, %b, %a",
      "%r = ctpop.i32 %a",
      "%r = mov %a",
      "%q = trunc.i32.i8 %a\n  %r = zext.i8.i32 %q",
      "%q = sitofp.i32.f64 %a\n  %r = fptosi.f64.i32 %q",
      "%q = cmp.eq.i32 %a, %a\n  %r = zext.i1.i32 %q",
      "%q = uadd_overflow.i32 %a, %b\n  %r = zext.i1.i32 %q",
      "%q = bitcast.i32.f32 %a\n  %s = fadd.f32 %q, 1.0\n  %r = bitcast.f32.i32 %s",
      "%r = udiv.i32 %a, %b",
      "%r = sdiv.i32 %a, %b",
  };
  for (const char* body : bodies) {
    std::string text = fmt::format("func $f(%a: i32, %b: i32) -> i32 {{\n@e:\n  {}\n  ret %r\n}}\n", body);
    EXPECT_TRUE(gives_undef(run(text, {kUndef, {7}}))) << body;
    EXPECT_EQ(run(text, {{3}, {7}}).status, Outcome::Status::Returned) << body;
  }
}

TEST(InterpUndef, FreezeEndsIt) {
  for (const char* type : {"i1", "i8", "i64", "f64", "ptr"}) {
    std::string text =
        fmt::format("func $f(%a: {0}) -> {0} {{\n@e:\n  %r = freeze.{0} %a\n  ret %r\n}}\n", type);
    EXPECT_TRUE(returns(run(text, {kUndef}), 0)) << type;
    EXPECT_TRUE(returns(run(text, {{1}}), 1)) << type;
  }
}

TEST(InterpUndef, AndOrOfPredicatesMayNotNeedBoth) {
  Module both = parse_program("func $f(%a: i1, %b: i1) -> i1 {\n@e:\n  %r = and.i1 %a, %b\n  ret %r\n}\n");
  Module either = parse_program("func $f(%a: i1, %b: i1) -> i1 {\n@e:\n  %r = or.i1 %a, %b\n  ret %r\n}\n");
  for (Value a : kTristate) {
    for (Value b : kTristate) {
      Outcome outcome = run(both, {a, b});
      if (a == kFalse || b == kFalse) {
        EXPECT_TRUE(returns(outcome, 0));
      } else if (a.undef || b.undef) {
        EXPECT_TRUE(gives_undef(outcome));
      } else {
        EXPECT_TRUE(returns(outcome, 1));
      }
      outcome = run(either, {a, b});
      if (a == kTrue || b == kTrue) {
        EXPECT_TRUE(returns(outcome, 1));
      } else if (a.undef || b.undef) {
        EXPECT_TRUE(gives_undef(outcome));
      } else {
        EXPECT_TRUE(returns(outcome, 0));
      }
    }
  }
  Module exclusive =
      parse_program("func $f(%a: i1, %b: i1) -> i1 {\n@e:\n  %r = xor.i1 %a, %b\n  ret %r\n}\n");
  EXPECT_TRUE(gives_undef(run(exclusive, {kFalse, kUndef})));
}

TEST(InterpUndef, SelectReadsOneArm) {
  Module module = parse_program(
      "func $f(%p: i1, %a: i32, %b: i32) -> i32 {\n@e:\n  %r = select.i32 %p, %a, %b\n  ret %r\n}\n");
  EXPECT_TRUE(returns(run(module, {kTrue, {5}, kUndef}), 5));
  EXPECT_TRUE(returns(run(module, {kFalse, kUndef, {6}}), 6));
  EXPECT_TRUE(gives_undef(run(module, {kFalse, {5}, kUndef})));
  EXPECT_TRUE(gives_undef(run(module, {kUndef, {5}, {5}})));
}

TEST(InterpUndef, IsUndefinedBehaviourWhereItDecides) {
  EXPECT_TRUE(is_undefined(run("func $f(%p: i1) {\n@e:\n  br %p, @a, @a\n@a:\n  ret\n}\n", {kUndef}),
                           "the condition %p is undef"));
  EXPECT_TRUE(
      is_undefined(run("func $f(%x: i8) {\n@e:\n  switch.i8 %x, @a, [1: @a]\n@a:\n  ret\n}\n", {kUndef}),
                   "the switch value %x is undef"));
  EXPECT_TRUE(is_undefined(run("func $f(%p: i1) {\n@e:\n  %p ? %x = mov.i32 1\n  ret\n}\n", {kUndef}),
                           "the guard %p is undef"));
  EXPECT_TRUE(is_undefined(run("func $f(%p: i1) {\n@e:\n  !%p ? br @a\n  ret\n@a:\n  ret\n}\n", {kUndef}),
                           "the guard %p is undef"));
  EXPECT_TRUE(is_undefined(run("func $f(%p: ptr) {\n@e:\n  %x = load.i8 %p\n  ret\n}\n", {kUndef}),
                           "the address %p is undef"));
  EXPECT_TRUE(is_undefined(run("func $f(%p: ptr) {\n@e:\n  store.i8 1, %p\n  ret\n}\n", {kUndef}),
                           "the address %p is undef"));
  EXPECT_TRUE(is_undefined(run("func $f(%n: i64) {\n@e:\n  %s = slot %n, align 8\n  ret\n}\n", {kUndef}),
                           "the size %n is undef"));
  EXPECT_TRUE(is_undefined(run("func $f(%p: ptr) {\n@e:\n  call %p()\n  ret\n}\n", {kUndef}),
                           "the callee %p is undef"));
  EXPECT_TRUE(is_undefined(run("func $f() {\n@e:\n  unreachable\n}\n"), "unreachable was reached"));
  EXPECT_TRUE(gives_undef(run("func $f() -> i32 {\n@e:\n  ret undef\n}\n")));
}

TEST(InterpUndef, DivisionByOrOfUndef) {
  auto divide = [](const char* op) {
    return parse_program(
        fmt::format("func $f(%a: i32, %b: i32) -> i32 {{\n@e:\n  %r = {}.i32 %a, %b\n  ret %r\n}}\n", op));
  };
  for (const char* op : {"sdiv", "srem", "udiv", "urem"}) {
    Module module = divide(op);
    EXPECT_TRUE(is_undefined(run(module, {{1}, kUndef}), "division by undef")) << op;
    EXPECT_TRUE(is_undefined(run(module, {kUndef, {0}}), "division by zero")) << op;
    EXPECT_TRUE(gives_undef(run(module, {kUndef, {3}}))) << op;
  }
  EXPECT_TRUE(is_undefined(run(divide("sdiv"), {kUndef, {0xffff'ffff}}), "by -1"));
  EXPECT_TRUE(is_undefined(run(divide("srem"), {kUndef, {0xffff'ffff}}), "by -1"));
  EXPECT_TRUE(gives_undef(run(divide("udiv"), {kUndef, {0xffff'ffff}})));
}

TEST(InterpUndef, MayPassThroughFunctionsOfTheModule) {
  const char* text =
      "func $g(%x: i32, %y: i32) -> i32 {\n@e:\n  ret %x\n}\n"
      "func $f(%a: i32) -> i32 {\n@e:\n  %r = call.i32 $g(%a, 1)\n  %s = call.i32 $g(2, %r)\n  ret %s\n}\n";
  EXPECT_TRUE(returns(run(text, {kUndef}), 2));
}

// --- Guards -----------------------------------------------------------------------------------------

TEST(InterpGuard, FalseLeavesThePlainDestinationAsItWas) {
  const char* text =
      "func $f(%p: i1) -> i32 {\n@e:\n  %x = mov.i32 1\n  %p ? %x = mov.i32 2\n  !%p ? %x = add.i32 %x, 8\n"
      "  ret %x\n}\n";
  EXPECT_TRUE(returns(run(text, {kTrue}), 2));
  EXPECT_TRUE(returns(run(text, {kFalse}), 9));
}

TEST(InterpGuard, ReadsNothingWhenFalse) {
  const char* text =
      "func $f(%p: i1, %q: ptr) -> i32 {\n@e:\n  %x = mov.i32 4\n  %p ? %x = load.i32 %q\n"
      "  %p ? store.i32 1, %q\n  %p ? %x = udiv.i32 1, 0\n  ret %x\n}\n";
  EXPECT_TRUE(returns(run(text, {kFalse, kUndef}), 4));
}

TEST(InterpGuard, FalseMakesTheSsaDestinationUndefined) {
  const char* text =
      "func $f(%p: i1) -> i32 ssa {\n@e:\n  %p ? %x = mov.i32 2\n  %y = select.i32 %p, %x, 7\n  ret %y\n}\n";
  EXPECT_TRUE(returns(run(text, {kTrue}), 2));
  EXPECT_TRUE(returns(run(text, {kFalse}), 7));
}

// In the second turn of the loop the value of the first must not be seen.
TEST(InterpGuard, FalseInALaterTurnIsUndefinedAgain) {
  const char* text =
      "func $f() -> i32 ssa {\n"
      "@e:\n  br @loop\n"
      "@loop:\n"
      "  %i = phi.i32 [@e: 0], [@loop: %i2]\n"
      "  %p = cmp.eq.i32 %i, 0\n"
      "  %p ? %x = mov.i32 5\n"
      "  %y = psi %p ? %x\n"
      "  %i2 = add.i32 %i, 1\n"
      "  %c = cmp.lt.i32 %i2, 2\n"
      "  br %c, @loop, @done\n"
      "@done:\n  ret %y\n}\n";
  EXPECT_TRUE(gives_undef(run(text)));
  const char* two_results =
      "func $f() -> i1 ssa {\n"
      "@e:\n  br @loop\n"
      "@loop:\n"
      "  %i = phi.i32 [@e: 0], [@loop: %i2]\n"
      "  %p = cmp.eq.i32 %i, 0\n"
      "  %p ? %x, %y = cmpp.un.uc.eq.i32 %i, %i\n"
      "  %i2 = add.i32 %i, 1\n"
      "  %c = cmp.lt.i32 %i2, 2\n"
      "  br %c, @loop, @done\n"
      "@done:\n  %z = or.i1 %x, %y\n  ret %z\n}\n";
  EXPECT_TRUE(gives_undef(run(two_results)));
}

TEST(InterpGuard, PlainRegistersStartUndefined) {
  EXPECT_TRUE(
      gives_undef(run("func $f(%p: i1) -> i32 {\n@e:\n  %p ? %x = mov.i32 1\n  ret %x\n}\n", {kFalse})));
}

TEST(InterpGuard, AllocatedFormIsLikePlain) {
  const char* text =
      "func $f(%p: i1) -> i32 allocated {\n@e:\n  %x = mov.i32 1 ;;\n  %p ? %x = mov.i32 2 ;;\n  ret %x "
      ";;\n}\n";
  EXPECT_TRUE(returns(run(text, {kTrue}), 2));
  EXPECT_TRUE(returns(run(text, {kFalse}), 1));
}

TEST(InterpGuard, CallsAndReturns) {
  const char* text =
      "func $g() -> i32 {\n@e:\n  ret 9\n}\n"
      "func $f(%p: i1) -> i32 {\n@e:\n  %x = mov.i32 1\n  %p ? %x = call.i32 $g()\n"
      "  !%p ? ret 3\n  ret %x\n}\n";
  EXPECT_TRUE(returns(run(text, {kTrue}), 9));
  EXPECT_TRUE(returns(run(text, {kFalse}), 3));
}

TEST(InterpGuard, TerminatorGroupsTryOneAfterTheOther) {
  const char* text =
      "func $f(%p: i1, %q: i1, %r: i1) -> i32 {\n@e:\n"
      "  %p ? br @a\n  !%q ? ret 2\n  %r ? br %q, @a, @b\n  br @b\n"
      "@a:\n  ret 1\n@b:\n  ret 3\n}\n";
  EXPECT_TRUE(returns(run(text, {kTrue, kUndef, kUndef}), 1));
  EXPECT_TRUE(returns(run(text, {kFalse, kFalse, kUndef}), 2));
  EXPECT_TRUE(returns(run(text, {kFalse, kTrue, kTrue}), 1));
  EXPECT_TRUE(returns(run(text, {kFalse, kTrue, kFalse}), 3));
}

// --- psi --------------------------------------------------------------------------------------------

TEST(InterpPsi, TheRightmostTrueArgumentWins) {
  const char* text =
      "func $f(%p: i1, %q: i1) -> i32 ssa {\n@e:\n  %p ? %a = mov.i32 1\n  %q ? %b = mov.i32 2\n"
      "  %x = psi %p ? %a, %q ? %b\n  ret %x\n}\n";
  EXPECT_TRUE(returns(run(text, {kTrue, kTrue}), 2));
  EXPECT_TRUE(returns(run(text, {kTrue, kFalse}), 1));
  EXPECT_TRUE(returns(run(text, {kFalse, kTrue}), 2));
  EXPECT_TRUE(gives_undef(run(text, {kFalse, kFalse})));
}

TEST(InterpPsi, NegatedAndMissingGuards) {
  const char* text =
      "func $f(%p: i1) -> i32 ssa {\n@e:\n  !%p ? %a = mov.i32 1\n  %x = psi 7, !%p ? %a\n  ret %x\n}\n";
  EXPECT_TRUE(returns(run(text, {kTrue}), 7));
  EXPECT_TRUE(returns(run(text, {kFalse}), 1));
}

TEST(InterpPsi, ReadsGuardsFromTheRightUntilOneIsTrue) {
  const char* text =
      "func $f(%p: i1, %q: i1) -> i32 ssa {\n@e:\n  %x = psi.i32 %p ? 1, %q ? 2\n  ret %x\n}\n";
  EXPECT_TRUE(returns(run(text, {kUndef, kTrue}), 2));
  EXPECT_TRUE(is_undefined(run(text, {kUndef, kFalse}), "the guard %p is undef"));
  EXPECT_TRUE(is_undefined(run(text, {kTrue, kUndef}), "the guard %q is undef"));
}

// --- cmpp -------------------------------------------------------------------------------------------

std::optional<bool> known(Value v) { return v.undef ? std::nullopt : std::optional(v.bits != 0); }

// The formulas, on all completions of the undef inputs: the result is defined where all agree. For cn and
// cc an undef input predicate gives undef even where all would.
std::optional<bool> expected_action(std::string_view action, Value r, Value c, Value old) {
  bool complement = action[1] == 'c';
  if (action[0] == 'c' && r.undef) return std::nullopt;
  std::optional<bool> result;
  bool first = true;
  for (bool rv : {false, true}) {
    for (bool cv : {false, true}) {
      for (bool ov : {false, true}) {
        if (known(r).value_or(rv) != rv || known(c).value_or(cv) != cv) continue;
        if (known(old).value_or(ov) != ov) continue;
        bool condition = cv != complement;
        bool value = action[0] == 'u'   ? rv && condition
                     : action[0] == 'o' ? ov || (rv && condition)
                     : action[0] == 'a' ? ov && !(rv && !condition)
                                        : (rv ? condition : ov);
        if (!first && result != value) return std::nullopt;
        result = value;
        first = false;
      }
    }
  }
  return result;
}

void check_target(const Outcome& outcome, std::optional<bool> expected, const std::string& what) {
  if (expected) {
    EXPECT_TRUE(returns(outcome, *expected)) << what;
  } else {
    EXPECT_TRUE(gives_undef(outcome)) << what << " " << outcome.message;
  }
}

TEST(InterpCmpp, EveryActionByItsTruthTable) {
  for (const char* action : {"un", "uc", "on", "oc", "an", "ac", "cn", "cc"}) {
    bool partial = action[0] != 'u';
    // The condition is %c != false; the old value arrives in %o.
    Module plain = parse_program(fmt::format(
        "func $f(%r: i1, %c: i1, %o: i1) -> i1 {{\n@e:\n  %o = cmpp.{}.ne.i1 %c, false if %r\n  ret %o\n}}\n",
        action));
    Module ssa = parse_program(fmt::format(
        "func $f(%r: i1, %c: i1, %o: i1) -> i1 ssa {{\n@e:\n  %x = cmpp.{}.ne.i1 %c, false if %r{}\n"
        "  ret %x\n}}\n",
        action, partial ? " old %o" : ""));
    Module negated = parse_program(fmt::format(
        "func $f(%r: i1, %c: i1, %o: i1) -> i1 ssa {{\n@e:\n  %x = cmpp.{}.ne.i1 %c, false if !%r{}\n"
        "  ret %x\n}}\n",
        action, partial ? " old %o" : ""));
    Module always = parse_program(
        fmt::format("func $f(%r: i1, %c: i1, %o: i1) -> i1 ssa {{\n@e:\n  %x = cmpp.{}.ne.i1 %c, false{}\n"
                    "  ret %x\n}}\n",
                    action, partial ? " old %o" : ""));
    for (Value r : kTristate) {
      for (Value c : kTristate) {
        for (Value o : kTristate) {
          std::string what = fmt::format("{} r={}{} c={}{} o={}{}", action, r.bits, r.undef ? "?" : "",
                                         c.bits, c.undef ? "?" : "", o.bits, o.undef ? "?" : "");
          std::optional<bool> expected = expected_action(action, r, c, o);
          check_target(run(plain, {r, c, o}), expected, "plain " + what);
          check_target(run(ssa, {r, c, o}), expected, "ssa " + what);
          Value flipped = r.undef ? r : Value{r.bits ^ 1, false};
          check_target(run(negated, {flipped, c, o}), expected, "negated " + what);
          check_target(run(always, {r, c, o}), expected_action(action, kTrue, c, o), "always " + what);
        }
      }
    }
  }
}

TEST(InterpCmpp, TwoTargetsWithActionsOfTheirOwn) {
  const char* ssa =
      "func $f(%a: i32, %o: i1) -> i32 ssa {\n@e:\n"
      "  %p, %q = cmpp.on.an.lt.i32 %a, 10 old %o, %o\n"
      "  %x = zext.i1.i32 %p\n  %y = zext.i1.i32 %q\n  %z = shl.i32 %y, 1\n  %r = or.i32 %x, %z\n  ret "
      "%r\n}\n";
  EXPECT_TRUE(returns(run(ssa, {{5}, kFalse}), 1));
  EXPECT_TRUE(returns(run(ssa, {{5}, kTrue}), 3));
  EXPECT_TRUE(returns(run(ssa, {{15}, kTrue}), 1));
  const char* plain =
      "func $f(%a: i32, %b: i1) -> i32 {\n@e:\n"
      "  %p = mov %b\n  %q = mov %b\n"
      "  %p, %q = cmpp.un.oc.lt.i32 %a, 10\n"
      "  %x = zext.i1.i32 %p\n  %y = zext.i1.i32 %q\n  %z = shl.i32 %y, 1\n  %r = or.i32 %x, %z\n  ret "
      "%r\n}\n";
  EXPECT_TRUE(returns(run(plain, {{5}, kFalse}), 1));
  EXPECT_TRUE(returns(run(plain, {{15}, kFalse}), 2));
  EXPECT_TRUE(returns(run(plain, {{5}, kTrue}), 3));
}

TEST(InterpCmpp, AGuardNullifiesItAsAWhole) {
  const char* text =
      "func $f(%g: i1) -> i1 {\n@e:\n  %p = mov.i1 true\n  %g ? %p = cmpp.un.eq.i32 1, 2\n  ret %p\n}\n";
  EXPECT_TRUE(returns(run(text, {kFalse}), 1));
  EXPECT_TRUE(returns(run(text, {kTrue}), 0));
}

TEST(InterpCmpp, FloatConditions) {
  const char* text =
      "func $f(%a: f64, %b: f64) -> i1 {\n@e:\n  %p, %q = cmpp.un.uc.uge.f64 %a, %b\n  ret %q\n}\n";
  EXPECT_TRUE(returns(run(text, {{bits(1.0)}, {bits(2.0)}}), 1));
  EXPECT_TRUE(returns(run(text, {{0x7ff8'0000'0000'0000}, {bits(2.0)}}), 0));
}

}  // namespace
}  // namespace psi::interp_test
