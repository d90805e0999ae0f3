// Control flow: phis, switches, calls, limits, counts and the profile.
#include <fmt/format.h>

#include "interp_test_util.h"

namespace psi::interp_test {
namespace {

uint64_t executed(const Outcome& outcome, Opcode op) {
  return outcome.stats.executed[static_cast<size_t>(op)];
}
uint64_t nullified(const Outcome& outcome, Opcode op) {
  return outcome.stats.nullified[static_cast<size_t>(op)];
}

// --- phi --------------------------------------------------------------------------------------------

TEST(InterpPhi, ReadInParallel) {
  // Swaps, and a chain in the order that copying one by one would break.
  const char* text =
      "func $f(%n: i32) -> i32 ssa {\n"
      "@e:\n  br @loop\n"
      "@loop:\n"
      "  %a = phi.i32 [@e: 1], [@loop: %b]\n"
      "  %b = phi.i32 [@e: 2], [@loop: %a]\n"
      "  %c = phi.i32 [@e: 3], [@loop: %b]\n"
      "  %d = phi.i32 [@e: 4], [@loop: %c]\n"
      "  %i = phi.i32 [@e: 0], [@loop: %i2]\n"
      "  %i2 = add.i32 %i, 1\n"
      "  %p = cmp.lt.i32 %i2, %n\n"
      "  br %p, @loop, @done\n"
      "@done:\n"
      "  %x = mul.i32 %a, 1000\n  %y = mul.i32 %b, 100\n  %z = mul.i32 %c, 10\n"
      "  %s = add.i32 %x, %y\n  %t = add.i32 %s, %z\n  %r = add.i32 %t, %d\n"
      "  ret %r\n}\n";
  uint64_t a = 1, b = 2, c = 3, d = 4;
  for (uint64_t n = 1; n < 8; ++n) {
    EXPECT_TRUE(returns(run(text, {{n}}), a * 1000 + b * 100 + c * 10 + d)) << n;
    uint64_t old_a = a, old_b = b, old_c = c;
    a = old_b, b = old_a, c = old_b, d = old_c;
  }
}

TEST(InterpPhi, LostCopy) {
  // The value before the last step is still wanted after the loop.
  const char* text =
      "func $f() -> i32 ssa {\n"
      "@e:\n  br @loop\n"
      "@loop:\n"
      "  %x = phi.i32 [@e: 1], [@loop: %y]\n"
      "  %y = add.i32 %x, 1\n"
      "  %p = cmp.lt.i32 %y, 10\n"
      "  br %p, @loop, @done\n"
      "@done:\n  ret %x\n}\n";
  EXPECT_TRUE(returns(run(text), 9));
}

TEST(InterpPhi, OneEntryServesSeveralEdgesFromOneBlock) {
  const char* text =
      "func $f(%x: i32) -> i32 ssa {\n"
      "@e:\n  switch.i32 %x, @other, [1: @join], [2: @join], [700: @join]\n"
      "@other:\n  br @join\n"
      "@join:\n  %r = phi.i32 [@e: %x], [@other: 5]\n  ret %r\n}\n";
  EXPECT_TRUE(returns(run(text, {{1}}), 1));
  EXPECT_TRUE(returns(run(text, {{2}}), 2));
  EXPECT_TRUE(returns(run(text, {{700}}), 700));
  EXPECT_TRUE(returns(run(text, {{3}}), 5));
}

TEST(InterpPhi, TenThousandArguments) {
  constexpr int kCount = 10'000;
  std::string text = "func $f(%x: i32) -> i32 ssa {\n@e:\n  switch.i32 %x, @b0";
  for (int i = 1; i < kCount; ++i) text += fmt::format(", [{}: @b{}]", i, i);
  text += "\n";
  for (int i = 0; i < kCount; ++i) text += fmt::format("@b{}:\n  br @join\n", i);
  text += "@join:\n  %r = phi.i32 ";
  for (int i = 0; i < kCount; ++i) text += fmt::format("{}[@b{}: {}]", i == 0 ? "" : ", ", i, 3 * i);
  text += "\n  ret %r\n}\n";
  Module module = parse_program(text);
  for (uint64_t x : {0u, 1u, 777u, 9'999u}) EXPECT_TRUE(returns(run(module, {{x}}), 3 * x));
}

// --- switch -----------------------------------------------------------------------------------------

TEST(InterpSwitch, DenseAndSparseAndEmpty) {
  const char* text =
      "func $f(%x: i64) -> i32 {\n@e:\n"
      "  switch.i64 %x, @d, [-1: @a], [0: @b], [9223372036854775807: @c], [5: @b]\n"
      "@a:\n  ret 1\n@b:\n  ret 2\n@c:\n  ret 3\n@d:\n  ret 4\n}\n";
  EXPECT_TRUE(returns(run(text, {{UINT64_MAX}}), 1));
  EXPECT_TRUE(returns(run(text, {{0}}), 2));
  EXPECT_TRUE(returns(run(text, {{5}}), 2));
  EXPECT_TRUE(returns(run(text, {{INT64_MAX}}), 3));
  EXPECT_TRUE(returns(run(text, {{6}}), 4));
  const char* dense =
      "func $f(%x: i8) -> i32 {\n@e:\n"
      "  switch.i8 %x, @d, [-2: @a], [-1: @b], [-4: @c]\n"
      "@a:\n  ret 1\n@b:\n  ret 2\n@c:\n  ret 3\n@d:\n  ret 4\n}\n";
  EXPECT_TRUE(returns(run(dense, {{0xfe}}), 1));
  EXPECT_TRUE(returns(run(dense, {{0xff}}), 2));
  EXPECT_TRUE(returns(run(dense, {{0xfc}}), 3));
  EXPECT_TRUE(returns(run(dense, {{0xfd}}), 4));
  EXPECT_TRUE(returns(run(dense, {{0}}), 4));
  EXPECT_TRUE(returns(run("func $f(%x: i8) -> i32 {\n@e:\n  switch.i8 %x, @d\n@d:\n  ret 4\n}\n", {{3}}), 4));
}

// --- Calls ------------------------------------------------------------------------------------------

constexpr std::string_view kSumTo =
    "func $f(%n: i64) -> i64 {\n@e:\n  %z = cmp.eq.i64 %n, 0\n  br %z, @base, @more\n"
    "@base:\n  ret 0\n"
    "@more:\n  %m = sub.i64 %n, 1\n  %s = call.i64 $f(%m)\n  %r = add.i64 %s, %n\n  ret %r\n}\n";

TEST(InterpCall, FiftyThousandDeep) {
  EXPECT_TRUE(returns(run(kSumTo, {{50'000}}), uint64_t{50'000} * 50'001 / 2));
}

TEST(InterpCall, DepthIsLimited) {
  InterpretOptions options;
  options.max_depth = 100;
  EXPECT_TRUE(returns(run(kSumTo, {{99}}, options), 99 * 100 / 2));
  EXPECT_TRUE(stops(run(kSumTo, {{100}}, options), Outcome::Status::Exhausted, "call depth"));
}

TEST(InterpCall, EndlessRecursionWithLargeFramesEnds) {
  std::string text = "func $f() {\n@e:\n";
  for (int i = 0; i < 2'000; ++i) text += fmt::format("  %x{} = mov.i64 {}\n", i, i);
  text += "  call $f()\n  ret\n}\n";
  EXPECT_EQ(run(text).status, Outcome::Status::Exhausted);
}

TEST(InterpCall, ResultMayBeDropped) {
  const char* text =
      "func $g(%x: i32) -> i32 {\n@e:\n  ret %x\n}\n"
      "func $f() -> i32 {\n@e:\n  %a = call.i32 $g(1)\n  %b = call.i32 $g(2)\n  ret %a\n}\n";
  EXPECT_TRUE(returns(run(text), 1));
}

TEST(InterpCall, Indirect) {
  const char* text =
      "global $table align 8 { ptr $inc, ptr $dec }\n"
      "func $inc(%x: i32) -> i32 {\n@e:\n  %r = add.i32 %x, 1\n  ret %r\n}\n"
      "func $dec(%x: i32) -> i32 {\n@e:\n  %r = sub.i32 %x, 1\n  ret %r\n}\n"
      "func $f(%i: i64, %x: i32) -> i32 {\n@e:\n"
      "  %p = ptrindex $table, %i, 8, 0\n  %g = load.ptr %p\n  %r = call.i32 %g(%x)\n  ret %r\n}\n";
  EXPECT_TRUE(returns(run(text, {{0}, {10}}), 11));
  EXPECT_TRUE(returns(run(text, {{1}, {10}}), 9));
}

TEST(InterpCall, IndirectMustFitTheFunction) {
  auto call = [](const char* call_text) {
    return run(
        fmt::format("global $data align 8 {{ i64 0 }}\n"
                    "func $g(%x: i32) -> i32 {{\n@e:\n  ret %x\n}}\n"
                    "func $f() {{\n@e:\n  %p = mov.ptr $g\n  %q = ptradd %p, 1\n"
                    "  %d = mov.ptr $data\n  {}\n  ret\n}}\n",
                    call_text));
  };
  EXPECT_EQ(call("%r = call.i32 %p(i32 1)").status, Outcome::Status::Returned);
  EXPECT_TRUE(is_undefined(call("%r = call.i32 %p()"), "with 0 arguments; it takes 1"));
  EXPECT_TRUE(is_undefined(call("%r = call.i32 %p(i32 1, i32 2)"), "with 2 arguments"));
  EXPECT_TRUE(is_undefined(call("%r = call.i32 %p(i64 1)"), "argument 1 of type i64; it takes i32"));
  EXPECT_TRUE(is_undefined(call("%r = call.i64 %p(i32 1)"), "result type i64"));
  EXPECT_TRUE(is_undefined(call("%r = call.i32 %q(i32 1)"), "not a function's"));
  EXPECT_TRUE(is_undefined(call("%r = call.i32 %d(i32 1)"), "not a function's"));
}

TEST(InterpCall, NoreturnMustKeepItsPromise) {
  EXPECT_TRUE(is_undefined(run("func $g() noreturn {\n@e:\n  ret\n}\n"
                               "func $f() {\n@e:\n  call $g()\n  unreachable\n}\n"),
                           "declared noreturn"));
}

TEST(InterpCall, EntryArguments) {
  EXPECT_TRUE(stops(run(kSumTo, {}), Outcome::Status::Unsupported, "$f takes 1 arguments, 0 were given"));
  EXPECT_TRUE(stops(run("extern func $f()\n"), Outcome::Status::Unsupported, "declared only"));
  // Bits above the parameter's width are not there.
  EXPECT_TRUE(returns(run("func $f(%x: i8) -> i8 {\n@e:\n  ret %x\n}\n", {{0x1234}}), 0x34));
}

TEST(InterpCall, NamesTheInstructionAtFault) {
  Module module = parse_program(
      "func $g(%x: i32) -> i32 {\n@e:\n  %y = add.i32 %x, 1\n  %z = udiv.i32 %y, 0\n  ret %z\n}\n"
      "func $f() {\n@e:\n  %r = call.i32 $g(1)\n  ret\n}\n");
  Outcome outcome = run(module);
  ASSERT_TRUE(is_undefined(outcome, "division by zero"));
  ASSERT_EQ(module.name(outcome.function), "g");
  EXPECT_EQ(print(module, module.function(outcome.function), outcome.inst), "%z = udiv.i32 %y, 0");
}

// --- Limits -----------------------------------------------------------------------------------------

TEST(InterpFuel, EndsAnEndlessLoop) {
  InterpretOptions options;
  options.fuel = 10'000;
  Outcome outcome = run("func $f() {\n@e:\n  br @e2\n@e2:\n  br @e2\n}\n", {}, options);
  EXPECT_TRUE(stops(outcome, Outcome::Status::Exhausted, "out of fuel"));
  EXPECT_LE(outcome.stats.total_executed(), 10'001u);
  EXPECT_GE(outcome.stats.total_executed(), 9'999u);
}

TEST(InterpFuel, IsEnoughForExactlyTheInstructionsOfTheRun) {
  const char* text =
      "func $f() -> i32 {\n@e:\n  %i = mov.i32 0\n  br @loop\n"
      "@loop:\n  %i = add.i32 %i, 1\n  %c = cmp.lt.i32 %i, 10\n  br %c, @loop, @done\n@done:\n  ret %i\n}\n";
  InterpretOptions options;
  options.fuel = 2 + 3 * 10 + 1;
  EXPECT_TRUE(returns(run(text, {}, options), 10));
  options.fuel -= 1;
  EXPECT_EQ(run(text, {}, options).status, Outcome::Status::Exhausted);
  options.fuel = 0;
  EXPECT_EQ(run(text, {}, options).status, Outcome::Status::Exhausted);
}

TEST(InterpFuel, LongCopiesCost) {
  InterpretOptions options;
  options.fuel = 1'000;
  const char* text =
      "func $f() {\n@e:\n  %s = slot 1024, align 8\n  br @loop\n"
      "@loop:\n  memset %s, 0, 1024\n  br @loop\n}\n";
  Outcome outcome = run(text, {}, options);
  EXPECT_EQ(outcome.status, Outcome::Status::Exhausted);
  EXPECT_LT(executed(outcome, Opcode::Memset), 100u);
}

// --- Counts -----------------------------------------------------------------------------------------

constexpr std::string_view kCounted =
    "func $f(%n: i32) -> i32 {\n"
    "@e:\n  %i = mov.i32 0\n  %s = mov.i32 0\n  br @loop\n"
    "@loop:\n"
    "  %b = and.i32 %i, 1\n"
    "  %p = cmp.eq.i32 %b, 0\n"
    "  %p ? %s = add.i32 %s, %i\n"
    "  %i = add.i32 %i, 1\n"
    "  %c = cmp.lt.i32 %i, %n\n"
    "  !%c ? br @done\n"
    "  br %p, @skip, @loop\n"
    "@skip:\n  br @loop\n"
    "@done:\n  ret %s\n}\n";

TEST(InterpStats, CountsByOpcode) {
  Outcome outcome = run(kCounted, {{10}});
  ASSERT_TRUE(returns(outcome, 0 + 2 + 4 + 6 + 8));
  EXPECT_EQ(executed(outcome, Opcode::Mov), 2u);
  EXPECT_EQ(executed(outcome, Opcode::And), 10u);
  EXPECT_EQ(executed(outcome, Opcode::Cmp), 20u);
  EXPECT_EQ(executed(outcome, Opcode::Add), 15u);
  EXPECT_EQ(nullified(outcome, Opcode::Add), 5u);
  EXPECT_EQ(nullified(outcome, Opcode::Br), 9u);
  // To the loop, ten that leave it or go round, five of them by way of @skip.
  EXPECT_EQ(executed(outcome, Opcode::Br), 1u + 10u + 5u);
  EXPECT_EQ(executed(outcome, Opcode::Ret), 1u);
  EXPECT_EQ(outcome.stats.total_executed(), 2u + 10u + 20u + 15u + 16u + 1u);
  EXPECT_EQ(outcome.stats.total_nullified(), 14u);
  // Not taken: into the loop from above, and from it to @skip.
  EXPECT_EQ(outcome.stats.branches_taken, 16u - 1u - 5u);
  // The guarded branch each time round, the other one but for the last time.
  EXPECT_EQ(outcome.stats.conditional_branches, 10u + 9u);
  EXPECT_EQ(outcome.stats.guarded, 5u + 1u);
}

TEST(InterpStats, CountsOneFunction) {
  const char* text =
      "func $g(%p: i1) -> i32 {\n@e:\n  %p ? %a = add.i32 1, 1\n  %p ? ret %a\n  ret 7\n}\n"
      "func $f() -> i32 {\n@e:\n  %a = call.i32 $g(true)\n  %b = call.i32 $g(false)\n"
      "  %c = add.i32 %a, %b\n  ret %c\n}\n";
  Module module = parse_program(text);
  InterpretOptions options;
  options.stats_of = module.find_symbol("g").value_or(SymbolId());
  Outcome outcome = run(module, {}, options);
  ASSERT_TRUE(returns(outcome, 9));
  EXPECT_EQ(executed(outcome, Opcode::Add), 1u);
  EXPECT_EQ(executed(outcome, Opcode::Ret), 2u);
  EXPECT_EQ(executed(outcome, Opcode::Call), 0u);
  EXPECT_EQ(outcome.stats.guarded, 2u);
  EXPECT_EQ(outcome.stats.total_nullified(), 2u);
  EXPECT_EQ(outcome.stats.conditional_branches, 2u);
}

TEST(InterpStats, AStoppedRunCountsWhatItDid) {
  const char* text =
      "extern func $exit(i32) noreturn\n"
      "func $g() {\n@e:\n  %a = add.i32 1, 1\n  call $exit(3)\n  %b = add.i32 1, 1\n  ret\n}\n"
      "func $f() {\n@e:\n  %a = sub.i32 1, 1\n  call $g()\n  %b = sub.i32 1, 1\n  %c = mul.i32 2, 2\n  "
      "ret\n}\n";
  Outcome outcome = run(text);
  EXPECT_EQ(outcome.status, Outcome::Status::Exited);
  EXPECT_EQ(outcome.exit_code, 3);
  EXPECT_EQ(executed(outcome, Opcode::Add), 1u);
  EXPECT_EQ(executed(outcome, Opcode::Sub), 1u);
  EXPECT_EQ(executed(outcome, Opcode::Mul), 0u);
  EXPECT_EQ(executed(outcome, Opcode::Call), 2u);
  EXPECT_EQ(outcome.stats.total_executed(), 4u);
}

TEST(InterpStats, PhisCount) {
  const char* text =
      "func $f() -> i32 ssa {\n@e:\n  br @j\n@j:\n  %x = phi.i32 [@e: 1]\n  %y = phi.i32 [@e: 2]\n  ret "
      "%x\n}\n";
  EXPECT_EQ(executed(run(text), Opcode::Phi), 2u);
}

TEST(InterpProfile, IsWrittenIntoTheModule) {
  Module module = parse_program(std::string(kCounted) + "func $unused() {\n@e:\n  br @x\n@x:\n  ret\n}\n");
  InterpretOptions options;
  options.profile = true;
  Outcome outcome = run(module, {{10}}, options);
  ASSERT_EQ(outcome.profiles.size(), 2u);
  apply_profile(module, outcome);
  const Function& f = *module.find_function("f");
  auto count = [&](std::string_view block) { return f.count(find_block(f, block)); };
  EXPECT_EQ(count("e"), 1u);
  EXPECT_EQ(count("loop"), 10u);
  EXPECT_EQ(count("skip"), 5u);
  EXPECT_EQ(count("done"), 1u);
  std::span<const InstId> terminators = f.terminators(find_block(f, "loop"));
  ASSERT_EQ(terminators.size(), 2u);
  ASSERT_EQ(f.edge_counts(terminators[0]).size(), 1u);
  EXPECT_EQ(f.edge_counts(terminators[0])[0], 1u);
  ASSERT_EQ(f.edge_counts(terminators[1]).size(), 2u);
  EXPECT_EQ(f.edge_counts(terminators[1])[0], 5u);
  EXPECT_EQ(f.edge_counts(terminators[1])[1], 4u);
  const Function& unused = *module.find_function("unused");
  EXPECT_EQ(unused.count(unused.entry()), 0u);
  // The counts do not disturb a second run.
  EXPECT_TRUE(returns(run(module, {{10}}), 20));
}

TEST(InterpProfile, SwitchEdgesInOperandOrder) {
  Module module = parse_program(
      "func $f() {\n@e:\n  %i = mov.i32 0\n  br @loop\n"
      "@loop:\n  %i = add.i32 %i, 1\n  switch.i32 %i, @back, [3: @back], [5: @done]\n"
      "@back:\n  br @loop\n@done:\n  ret\n}\n");
  InterpretOptions options;
  options.profile = true;
  apply_profile(module, run(module, {}, options));
  const Function& f = *module.find_function("f");
  std::span<const uint64_t> counts = f.edge_counts(f.terminators(find_block(f, "loop"))[0]);
  EXPECT_EQ(std::vector<uint64_t>(counts.begin(), counts.end()), (std::vector<uint64_t>{3, 1, 1}));
}

// --- Large ------------------------------------------------------------------------------------------

TEST(InterpLarge, HundredThousandBlocks) {
  constexpr int kBlocks = 100'000;
  std::string text = "func $f(%x: i32) -> i32 {\n";
  for (int i = 0; i < kBlocks; ++i) {
    text += fmt::format("@b{}:\n  %x = add.i32 %x, 1\n  br @b{}\n", i, i + 1);
  }
  text += fmt::format("@b{}:\n  ret %x\n}}\n", kBlocks);
  EXPECT_TRUE(returns(run(text, {{5}}), kBlocks + 5));
}

}  // namespace
}  // namespace psi::interp_test
