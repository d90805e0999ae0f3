#include "psi/testing/reduce.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "destruct_testing.h"
#include "psi/interp/interpret.h"
#include "psi/testing/generate.h"
#include "psi/text/text.h"
#include "psi/verify/verify.h"

namespace psi {
namespace {

using testing::is_valid;

Module parsed(std::string_view text) {
  Result<Module> module = parse(text);
  EXPECT_TRUE(module) << render(module, "test", text);
  if (!module) return {};
  Result<void> verified = verifies(*module);
  EXPECT_TRUE(verified) << render(verified, "test", text);
  return std::move(*module);
}

bool has_opcode(const Module& module, Opcode op) {
  for (SymbolId symbol : module.declarations()) {
    if (module.kind(symbol) != SymbolKind::Function) continue;
    const Function& function = module.function(symbol);
    for (BlockId b : function.layout()) {
      for (InstId id : function.insts(b)) {
        if (function.inst(id).op == op) return true;
      }
    }
  }
  return false;
}

TEST(Reduce, OneInstructionOfMany) {
  for (uint64_t seed = 0; seed < 12; ++seed) {
    Module module = generate({.seed = seed, .size = 600, .shape = static_cast<Shape>(seed % 4)});
    for (Opcode op : {Opcode::Cmpp, Opcode::Udiv, Opcode::Store, Opcode::Switch}) {
      if (!has_opcode(module, op)) continue;
      ReduceResult result = reduce(module, [&](const Module& m) { return has_opcode(m, op); });
      EXPECT_TRUE(result.interesting);
      EXPECT_TRUE(result.finished);
      EXPECT_TRUE(is_valid(result.module));
      // The instruction and what its block ends in; what a switch leads to.
      EXPECT_LE(count_instructions(result.module), 2u) << print(result.module);
      EXPECT_EQ(result.module.declarations().size(), 1u) << print(result.module);
    }
  }
}

TEST(Reduce, KeepsBehaviour) {
  // A run that prints an `x`, whatever else it does.
  Module module = parsed(R"(
extern func $putchar(i32) -> i32
global $unused { zero 100 }
const $letters align 8 { i32 120, i32 121, "hello" }
func $letter(%i: i64, %j: i64) -> i32 {
@entry:
  %k = add.i64 %i, %j
  %p = cmp.lt.i64 %k, 2
  %a = mov.ptr $letters
  %p ? %a = ptrindex $letters, %k, 4, 0
  %x = load.i32 %a
  ret %x
}
func $main(%n: i32) -> i32 {
@entry:
  %i = mov.i32 0
  br @loop
@loop:
  %c = call.i32 $letter(0, 0)
  %r = call.i32 $putchar(%c)
  %i = add.i32 %i, 1
  %more = cmp.lt.i32 %i, 10
  br %more, @loop, @out
@out:
  ret 0
}
)");
  auto prints_x = [](const Module& m) {
    const Function* main = m.find_function("main");
    if (!main || main->is_declaration()) return false;
    std::string printed;
    InterpretOptions options;
    options.fuel = 1000;
    options.output = [&](std::string_view text) { printed += text; };
    std::vector<Value> arguments(main->params.size());
    Outcome outcome = interpret(m, main->symbol, arguments, options);
    return outcome.status == Outcome::Status::Returned && printed.find('x') != std::string::npos;
  };
  ReduceResult result = reduce(module, prints_x);
  ASSERT_TRUE(result.finished);
  EXPECT_TRUE(prints_x(result.module));
  // call.i32 $putchar(LITERAL or loaded value); ret
  EXPECT_LE(count_instructions(result.module), 5u) << print(result.module);
  EXPECT_FALSE(result.module.find_symbol("unused") &&
               result.module.kind(*result.module.find_symbol("unused")) != SymbolKind::Undeclared);
}

TEST(Reduce, SsaStaysSsa) {
  Module module = parsed(R"(
func $f(%a: i32, %b: i32, %n: i32) -> i32 ssa {
@entry:
  %p = cmp.lt.i32 %a, %b
  br %p, @left, @right
@left:
  %l = add.i32 %a, 1
  br @head
@right:
  %r = sub.i32 %b, 1
  br @head
@head:
  %i = phi.i32 [@left: 0], [@right: 1], [@body: %j]
  %s = phi.i32 [@left: %l], [@right: %r], [@body: %t]
  %more = cmp.lt.i32 %i, %n
  br %more, @body, @out
@body:
  %j = add.i32 %i, 1
  %q = cmp.gt.i32 %s, 100
  %q ? %u = sub.i32 %s, 100
  %v = mul.i32 %s, 3
  %t = psi %v, %q ? %u
  br @head
@out:
  ret %s
}
)");
  for (Opcode op : {Opcode::Psi, Opcode::Phi, Opcode::Mul, Opcode::Sub}) {
    ReduceResult result = reduce(module, [&](const Module& m) { return has_opcode(m, op); });
    EXPECT_TRUE(result.finished);
    EXPECT_TRUE(is_valid(result.module)) << print(result.module);
    // A phi needs two more blocks at most: one to come from, and itself.
    EXPECT_LE(count_instructions(result.module), op == Opcode::Phi ? 3u : 2u) << print(result.module);
  }
}

TEST(Reduce, GlobalsShrink) {
  Module module = parsed(R"(
global $a align 16 { i32 7, "some text", ptr $b + 4, zero 30 }
global $b align 8 { i64 5, i64 6 }
func $f() -> i64 {
@entry:
  %x = load.i64 $b, align 8
  ret %x
}
)");
  auto loads_five = [](const Module& m) {
    const Function* f = m.find_function("f");
    if (!f || f->is_declaration() || !has_opcode(m, Opcode::Load)) return false;
    Outcome outcome = interpret(m, f->symbol, {});
    return outcome.status == Outcome::Status::Returned && outcome.result.bits == 5;
  };
  ReduceResult result = reduce(module, loads_five);
  EXPECT_EQ(print(result.module), R"(global $b { i64 5 }

func $f() -> i64 {
@0:
  %0 = load.i64 $b
  ret %0
}
)");
}

TEST(Reduce, UninterestingComesBackAsItWas) {
  Module module = generate({.seed = 1, .size = 50});
  std::string text = print(module);
  ReduceResult result = reduce(module, [](const Module&) { return false; });
  EXPECT_FALSE(result.interesting);
  EXPECT_FALSE(result.finished);
  EXPECT_EQ(result.tests, 1u);
  EXPECT_EQ(print(result.module), text);
}

TEST(Reduce, LimitsAndProgress) {
  Module module = generate({.seed = 2, .size = 500});
  uint64_t calls = 0, size = UINT64_MAX;
  ReduceOptions options;
  options.max_tests = 25;
  options.progress = [&](const ReduceProgress& progress) {
    ++calls;
    EXPECT_FALSE(progress.step.empty());
    EXPECT_LE(progress.instructions, size);
    size = progress.instructions;
  };
  ReduceResult result = reduce(module, [](const Module& m) { return has_opcode(m, Opcode::Cmp); }, options);
  EXPECT_TRUE(result.interesting);
  EXPECT_FALSE(result.finished);
  EXPECT_EQ(calls, 25u);
  EXPECT_EQ(result.tests, 26u);  // and the original
}

TEST(Reduce, Deterministic) {
  Module module = generate({.seed = 7, .size = 400});
  auto test = [](const Module& m) { return has_opcode(m, Opcode::Load) && has_opcode(m, Opcode::Cmp); };
  ReduceResult a = reduce(module, test), b = reduce(module, test);
  EXPECT_EQ(print(a.module), print(b.module));
  EXPECT_EQ(a.tests, b.tests);
}

TEST(Reduce, OnlyProgramsThatVerifyUnlessAsked) {
  Module module = generate({.seed = 4, .size = 150});
  auto test = [](const Module& m) {
    EXPECT_TRUE(is_valid(m));
    return has_opcode(m, Opcode::Mul);
  };
  if (has_opcode(module, Opcode::Mul)) reduce(module, test);

  // A program that does not verify can be reduced, too.
  Module broken = generate({.seed = 4, .size = 150});
  Function& main = *broken.find_function("main");
  main.set_insts(main.entry(), main.insts(main.entry()).first(3));
  ReduceOptions options;
  options.verify = false;
  ReduceResult result = reduce(broken, [](const Module& m) { return count_instructions(m) >= 1; }, options);
  EXPECT_TRUE(result.finished);
  EXPECT_EQ(count_instructions(result.module), 1u);
}

TEST(Reduce, Command) {
  Module module = generate({.seed = 5, .size = 120});
  ASSERT_TRUE(has_opcode(module, Opcode::Cmp));
  ReduceResult result = reduce_with_command(module, "grep -q cmp");
  EXPECT_TRUE(result.interesting);
  EXPECT_TRUE(result.finished);
  EXPECT_LE(count_instructions(result.module), 2u) << print(result.module);

  EXPECT_FALSE(reduce_with_command(module, "false").interesting);
  EXPECT_FALSE(reduce_with_command(module, "/no/such/program").interesting);
}

TEST(Reduce, CommandTimesOut) {
  Module module = generate({.seed = 5, .size = 20});
  CommandOptions command;
  command.timeout_seconds = 0.2;
  auto start = std::chrono::steady_clock::now();
  EXPECT_FALSE(reduce_with_command(module, "sleep 30; true", command).interesting);
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(10));
}

}  // namespace
}  // namespace psi
