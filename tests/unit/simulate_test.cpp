// The simulator: what packets mean, and how many cycles they take.
#include "simulate_testing.h"

namespace psi::simulate_test {
namespace {

Simulation run(const std::string& text, std::initializer_list<int64_t> arguments,
               const MachineTiming& timing = mini_timing(), SimulateOptions options = {}) {
  return simulate_mini(parse_mini(text), "f", arguments, timing, options);
}

std::string packed(const std::string& body, std::string_view params = "%r1: i64, %r2: i64") {
  return "func $f(" + std::string(params) + ") -> i64 allocated target mini {\n@entry:\n" + body + "}\n";
}

TEST(Simulate, InstructionsThatAreNotInPacketsIssueOneByOne) {
  Simulation made = run(
      "func $f(%a: i64) -> i64 ssa target mini {\n@entry:\n  %b = mini.add %a, 1\n  %c = mini.add %b, %a\n"
      "  mini.ret %c\n}\n",
      {20});
  ASSERT_TRUE(made.outcome.returned()) << made.outcome.message;
  EXPECT_EQ(made.outcome.number(), 41);
  EXPECT_EQ(made.total.cycles(), 3u);
  EXPECT_EQ(made.total.packets, 3u);
  EXPECT_EQ(made.total.operations, 3u);
  EXPECT_EQ(made.total.stalls(), 0u);
}

TEST(Simulate, AReaderWaitsForALateResult) {
  Simulation made =
      run("func $f(%a: i64) -> i64 ssa target mini {\n@entry:\n  %b = mini.mul %a, 3\n  %x = mini.add %a, 1\n"
          "  %c = mini.add %b, %x\n  mini.ret %c\n}\n",
          {5});
  EXPECT_EQ(made.outcome.number(), 21);
  EXPECT_EQ(made.total.operand_stalls[kMul], 1u);
  EXPECT_EQ(made.total.cycles(), 5u);
}

TEST(Simulate, AnAddressIsNeededEarlier) {
  // A loaded value is there after 2 cycles, but as an address after 3.
  auto stalls = [&](const std::string& use) {
    std::string loads =
        "func $f(%b: i64) -> i64 ssa target mini {\n@entry:\n  mini.store %b, %b\n"
        "  %v = mini.load %b\n  %w = " +
        use + "\n  mini.ret %w\n}\n";
    Module module = parse_mini("global $x align 8 { i64 0 }\n\n" + loads);
    uint64_t address = 0;
    // The address of the global, as the interpreter numbers it.
    Result<Module> asks = parse(
        "global $x align 8 { i64 0 }\n\nfunc $a() -> i64 {\n@entry:\n  %r = "
        "ptrtoint.ptr.i64 $x\n  ret %r\n}\n");
    address = interpret(*asks, "a", {}).result.bits;
    Simulation made = simulate_mini(module, "f", {static_cast<int64_t>(address)}, mini_timing());
    EXPECT_TRUE(made.outcome.returned()) << made.outcome.message;
    return made.total.operand_stalls[kMem];
  };
  EXPECT_EQ(stalls("mini.add %v, 1"), 1u);
  EXPECT_EQ(stalls("mini.load %v"), 2u + 1u);  // and the second load's reader
}

TEST(Simulate, APacketReadsBeforeItWrites) {
  Simulation made =
      run(packed("  %r1 = mini.copy %r2\n  %r2 = mini.copy %r1 ;;\n  %r1 = mini.mul %r1, 10 ;;\n"
                 "  %r1 = mini.add %r1, %r2 ;;\n  mini.ret %r1 ;;\n"),
          {3, 4});
  EXPECT_EQ(made.outcome.number(), 43);
  EXPECT_EQ(made.total.packets, 4u);
  EXPECT_EQ(made.total.operations, 5u);
}

TEST(Simulate, AForwardedGuardIsThatOfItsPacket) {
  std::string text = packed(
      "  %p0 = mini.clt %r1, %r2 ;;\n  %p0 = mini.clt %r2, %r1\n  %p0 ? %r1 = mini.const 100 ;;\n  mini.ret "
      "%r1 ;;\n");
  MachineTiming timing = mini_timing();
  EXPECT_EQ(run(text, {1, 2}, timing).outcome.number(), 100);
  timing.forwards.push_back({true, "", {kAlu}, {}});
  EXPECT_EQ(run(text, {1, 2}, timing).outcome.number(), 1);
  EXPECT_EQ(run(text, {2, 1}, timing).outcome.number(), 100);
  // Only to classes that the line names.
  timing.forwards[0].to = {kMul};
  EXPECT_EQ(run(text, {1, 2}, timing).outcome.number(), 100);
}

TEST(Simulate, WritersOfOnePredicateGiveTheConjunction) {
  std::string text =
      packed("  %p0 = mini.clt %r1, 10\n  mini.nop ;;\n  %p0 ? %r2 = mini.const 100 ;;\n  mini.ret %r2 ;;\n");
  EXPECT_EQ(run(text, {1, 2}).outcome.number(), 100);
}

TEST(Simulate, ExposedLatenciesShowTheOldContents) {
  std::string text = packed(
      "  %r1 = mini.mul %r1, 10 ;;\n  %r3 = mini.copy %r1 ;;\n  %r4 = mini.copy %r1 ;;\n"
      "  %r5 = mini.copy %r1 ;;\n  %r3 = mini.mul %r3, 100 ;;\n  mini.nop ;;\n  mini.nop ;;\n"
      "  %r3 = mini.add %r3, %r4 ;;\n  %r3 = mini.add %r3, %r5 ;;\n  mini.ret %r3 ;;\n");
  MachineTiming timing = mini_timing();
  Simulation waits = run(text, {5, 0}, timing);
  EXPECT_EQ(waits.outcome.number(), 50 * 100 + 50 + 50);
  EXPECT_EQ(waits.total.operand_stalls[kMul], 2u);
  timing.interlocked = false;
  Simulation exposed = run(text, {5, 0}, timing);
  EXPECT_EQ(exposed.outcome.number(), 5 * 100 + 5 + 50);
  EXPECT_EQ(exposed.total.cycles(), 10u);
}

// A result that is under way lands in the next block, too, also if a call is between.
TEST(Simulate, ExposedResultsLandBehindBranchesAndCalls) {
  std::string text =
      "func $g() target mini {\n@entry:\n  mini.ret\n}\n\n" +
      packed(
          "  %r1 = mini.mul %r1, 10 ;;\n  %r3 = mini.copy %r1 ;;\n  mini.jump @far ;;\n@other:\n  mini.ret "
          "%r2 "
          ";;\n@far:\n  %r3 = mini.mul %r3, 100 ;;\n  mini.call $g ;;\n  %r3 = mini.add %r3, %r1 ;;\n"
          "  mini.ret %r3 ;;\n");
  MachineTiming timing = mini_timing();
  timing.interlocked = false;
  Simulation made = run(text, {5, 0}, timing);
  ASSERT_TRUE(made.outcome.returned()) << made.outcome.message;
  EXPECT_EQ(made.outcome.number(), 5 * 100 + 50);
}

TEST(Simulate, NullifiedInstructionsOccupyTheirSlots) {
  Simulation made =
      run(packed("  %p0 = mini.clt %r1, %r2 ;;\n  %p0 ? %r1 = mini.add %r1, 1\n"
                 "  !%p0 ? %r2 = mini.add %r2, 1 ;;\n  %r1 = mini.sub %r1, %r2 ;;\n  mini.ret %r1 ;;\n"),
          {1, 5});
  EXPECT_EQ(made.outcome.number(), -3);
  EXPECT_EQ(made.total.operations, 5u);
  EXPECT_EQ(made.total.nullified, 1u);
  EXPECT_EQ(made.total.packets, 4u);
}

constexpr std::string_view kLoop =
    "func $f(%n: i64) -> i64 ssa target mini {\n@entry:\n  %zero = mini.const 0\n  mini.jump @head\n@head:\n"
    "  %i = phi [@entry: %zero], [@body: %i1]\n  %s = phi [@entry: %zero], [@body: %s1]\n"
    "  mini.blt %i, %n, @body\n  mini.jump @done\n@body:\n  %t = mini.mul %i, %i\n  %s1 = mini.add %s, %t\n"
    "  %i1 = mini.add %i, 1\n  mini.jump @head\n@done:\n  mini.ret %s\n}\n";

TEST(Simulate, TakenBranchesCost) {
  MachineTiming timing = mini_timing();
  timing.taken_cost = 4;
  Simulation made = run(std::string(kLoop), {10}, timing);
  EXPECT_EQ(made.outcome.number(), 285);
  // Jumps to the next block are not there, and a branch to it is not taken.
  EXPECT_EQ(made.total.taken, 10u + 1u);
  EXPECT_EQ(made.total.branch_cycles, 4u * 11u);
  EXPECT_EQ(made.total.branches, 11u + 10u + 1u);
  EXPECT_EQ(made.total.operand_stalls[kMul], 20u);
  EXPECT_EQ(made.total.packets, 1u + 11u + 1u + 10u * 4u + 1u);
}

TEST(Simulate, ABusySlotIsWaitedFor) {
  MachineTiming timing = mini_timing();
  timing.classes[kMul].busy = 5;
  Simulation made =
      run(packed("  %r3 = mini.mul %r1, %r1 ;;\n  %r4 = mini.add %r2, 1 ;;\n"
                 "  %r5 = mini.mul %r2, %r2 ;;\n  %r3 = mini.add %r3, %r5 ;;\n  mini.ret %r3 ;;\n"),
          {3, 4}, timing);
  EXPECT_EQ(made.outcome.number(), 25);
  EXPECT_EQ(made.total.slot_stalls, 3u);  // slot 1 takes the addition
  EXPECT_EQ(made.total.operand_stalls[kMul], 2u);
}

TEST(Simulate, CallsAndFunctionsAreCounted) {
  Simulation made =
      run("func $g(%a: i64) -> i64 ssa target mini {\n@entry:\n  %r = mini.add %a, 1\n  mini.ret %r\n}\n\n"
          "func $f(%a: i64) -> i64 ssa target mini {\n@entry:\n  %x: i64 = mini.call $g, %a\n  %y: i64 = "
          "mini.call $g, %x\n"
          "  mini.ret %y\n}\n",
          {1});
  ASSERT_TRUE(made.outcome.returned()) << made.outcome.message;
  EXPECT_EQ(made.outcome.number(), 3);
  ASSERT_EQ(made.functions.size(), 2u);
  EXPECT_EQ(made.functions[0].stats.calls, 2u);
  EXPECT_EQ(made.functions[0].stats.packets, 4u);
  EXPECT_EQ(made.functions[0].stats.branch_cycles, 2u);  // returns
  EXPECT_EQ(made.functions[1].stats.cycles(), 3u + 2u);
  EXPECT_EQ(made.total.cycles(), 3u + 4u + 4u);
}

// A terminator that has a result, and one that comes after another packet with a branch.
TEST(Simulate, BranchesReadTheRegistersOfTheirPacket) {
  Simulation made =
      run(packed("  %r3 = mini.copy %r1 ;;\n  mini.jump @head ;;\n@head:\n  %r2 = mini.add %r2, 5\n"
                 "  %r3 = mini.count %r3, @head ;;\n  mini.jump @out ;;\n@out:\n  mini.ret %r2 ;;\n"),
          {4, 1});
  ASSERT_TRUE(made.outcome.returned()) << made.outcome.message;
  EXPECT_EQ(made.outcome.number(), 21);
  std::string two = packed(
      "  %p0 = mini.clt %r1, 10 ;;\n  %r1 = mini.add %r1, 100\n  %p0 ? mini.jump @low ;;\n"
      "  mini.blt %r1, %r2, @middle ;;\n  mini.jump @high ;;\n@low:\n  mini.ret %r1 "
      ";;\n@middle:\n"
      "  %r1 = mini.const 1 ;;\n  mini.ret %r1 ;;\n@high:\n  %r1 = mini.const 2 ;;\n  mini.ret %r1 ;;\n");
  EXPECT_EQ(run(two, {5, 0}).outcome.number(), 105);
  EXPECT_EQ(run(two, {50, 151}).outcome.number(), 1);
  EXPECT_EQ(run(two, {50, 150}).outcome.number(), 2);
}

TEST(Simulate, SayWhatCannotBeExecuted) {
  auto message = [](const std::string& text) { return run(text, {1, 2}).outcome.message; };
  EXPECT_EQ(message("func $f(%a: i64, %b: i64) -> i64 {\n@entry:\n  ret %a\n}\n"),
            "unsupported: $f has no instructions of mini: it is not selected");
  EXPECT_EQ(message("func $f(%a: i64, %b: i64) -> i64 target mini {\n@entry:\n  %a = add.i64 %a, 1\n"
                    "  mini.ret %a\n}\n"),
            "unsupported: add is no instruction of mini: $f is not selected completely");
  EXPECT_EQ(
      message("func $f(%a: i64, %b: i64) -> i64 target mini {\n@entry:\n  mini.halt\n  mini.ret %a\n}\n"),
      "unsupported: mini.halt has no meaning, so it cannot be executed");
  EXPECT_EQ(message(packed("  %r3 = mini.mul %r1, 1\n  %r4 = mini.mul %r1, 1 ;;\n  mini.ret %r1 ;;\n")),
            "unsupported: the operations of this packet do not fit the slots of mini");
  EXPECT_EQ(message(packed("  mini.nop\n  mini.nop\n  mini.nop ;;\n  mini.ret %r1 ;;\n")),
            "unsupported: a packet of 3 operations, but mini issues 2 in a cycle");
  MachineTiming other = mini_timing();
  other.name = "other";
  EXPECT_EQ(run(packed("  mini.ret %r1 ;;\n"), {1, 2}, other).outcome.message,
            "unsupported: $f has the instructions of mini, not of other");
  EXPECT_EQ(run(packed("  mini.ret %r1 ;;\n"), {1}).outcome.message,
            "unsupported: $f takes 2 arguments, 1 were given");
}

TEST(Simulate, TheTraceShowsPackets) {
  std::string shown;
  SimulateOptions options;
  options.trace = 3;
  options.trace_output = [&](std::string_view text) { shown += text; };
  Simulation made =
      run(packed("  %p0 = mini.clt %r1, 3\n  %r1 = mini.mul %r1, 10 ;;\n  %p0 ? %r2 = mini.add %r1, 1\n"
                 "  !%p0 ? %r2 = mini.const 7 ;;\n  %r2 = mini.add %r2, 1 ;;\n  mini.ret %r2 ;;\n"),
          {2, 0}, mini_timing(), options);
  EXPECT_EQ(made.outcome.number(), 22);
  EXPECT_EQ(shown,
            "   cycle  block              slot   operation                                values\n"
            "       0  $f @entry          1      %p0 = mini.clt %r1, 3                    %p0 = true\n"
            "                             0      %r1 = mini.mul %r1, 10                   %r1 = 20\n"
            "       1                            wait 2: %r1 of mul\n"
            "       3  $f @entry          0      %p0 ? %r2 = mini.add %r1, 1              %r2 = 21\n"
            "                             1      !%p0 ? %r2 = mini.const 7                nullified\n"
            "       4  $f @entry          0      %r2 = mini.add %r2, 1                    %r2 = 22\n"
            "...\n");
}

}  // namespace
}  // namespace psi::simulate_test
