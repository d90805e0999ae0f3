#include "psi/testing/generate.h"

#include <gtest/gtest.h>

#include <array>
#include <set>
#include <string>

#include "iterations.h"
#include "psi/interp/interpret.h"
#include "psi/testing/reduce.h"
#include "psi/text/text.h"
#include "psi/verify/verify.h"

namespace psi {
namespace {

// Programs of all shapes and sizes, some without this or that.
GenerateOptions options_for(uint64_t seed) {
  GenerateOptions options;
  options.seed = seed;
  options.size = 10 + seed * 7 % 400;
  options.shape = static_cast<Shape>(seed % 4);
  options.memory = seed % 13 != 0;
  options.calls = seed % 17 != 0;
  options.floats = seed % 7 != 0;
  options.guards = seed % 11 != 0;
  options.switches = seed % 23 != 0;
  options.externals = seed % 19 != 0;
  options.names = seed % 3 == 0;
  options.annotations = seed % 5 == 0;
  return options;
}

template <class Visit>
void for_each_inst(const Module& module, Visit visit) {
  for (SymbolId symbol : module.declarations()) {
    if (module.kind(symbol) != SymbolKind::Function) continue;
    const Function& function = module.function(symbol);
    for (BlockId b : function.layout()) {
      for (InstId id : function.insts(b)) visit(function, function.inst(id));
    }
  }
}

std::string errors_of(const Module& module) {
  Result<void> verified = verifies(module);
  return verified ? "" : render(verified, "generated", "");
}

InterpretOptions run_options() {
  InterpretOptions options;
  options.stub_externals = true;
  options.record = true;
  options.fuel = 2'000'000;
  return options;
}

TEST(Generate, ProgramsVerifyAndReturn) {
  for (uint64_t seed = 0; seed < testing::iterations(2000u); ++seed) {
    Module module = generate(options_for(seed));
    ASSERT_EQ(errors_of(module), "") << "seed " << seed;
    for (SymbolId symbol : module.declarations()) {
      if (module.kind(symbol) != SymbolKind::Function) continue;
      const Function& function = module.function(symbol);
      EXPECT_EQ(function.form, Form::Plain);
      if (function.is_declaration() || !takes_arguments(function)) continue;
      std::vector<Value> arguments = generate_arguments(function, seed);
      Outcome outcome = interpret(module, symbol, arguments, run_options());
      ASSERT_EQ(outcome.status, Outcome::Status::Returned)
          << "seed " << seed << ", $" << module.name(symbol) << ": " << outcome.message;
      EXPECT_FALSE(outcome.result.undef);
    }
  }
}

TEST(Generate, SameSeedSameProgram) {
  for (uint64_t seed = 0; seed < testing::iterations(200u); ++seed) {
    Module first = generate(options_for(seed)), second = generate(options_for(seed));
    ASSERT_EQ(print(first), print(second)) << "seed " << seed;
    SymbolId main = *first.find_symbol("main");
    Outcome a = interpret(first, main, {}, run_options()), b = interpret(second, main, {}, run_options());
    EXPECT_EQ(a.result, b.result);
    EXPECT_EQ(a.calls, b.calls);
    EXPECT_EQ(a.memory, b.memory);
  }
  EXPECT_NE(print(generate(options_for(1))), print(generate(options_for(5))));
}

TEST(Generate, TextRoundTrip) {
  for (uint64_t seed = 0; seed < testing::iterations(500u); ++seed) {
    std::string text = print(generate(options_for(seed)));
    Result<Module> parsed = parse(text);
    ASSERT_TRUE(parsed) << "seed " << seed << "\n" << render(parsed, "generated", text);
    ASSERT_EQ(print(*parsed), text) << "seed " << seed;
  }
}

TEST(Generate, EveryOpcodeOccurs) {
  std::set<Opcode> seen;
  for (uint64_t seed = 0; seed < testing::iterations(300u); ++seed) {
    for_each_inst(generate({.seed = seed, .size = 400}),
                  [&](const Function&, const Inst& inst) { seen.insert(inst.op); });
  }
  for (int i = 0; i < kNumGenericOpcodes; ++i) {
    Opcode op = static_cast<Opcode>(i);
    if (op == Opcode::Phi || op == Opcode::Psi) continue;  // not in plain form
    EXPECT_TRUE(seen.contains(op)) << info(op).name;
  }
}

TEST(Generate, PredicatedCodeOccursInAllItsForms) {
  std::set<std::pair<Action, Action>> actions;
  std::set<Cond> conditions;
  std::set<Opcode> guarded;
  bool inputs[3] = {};  // none, normal, complement
  bool polarities[2] = {};
  for (uint64_t seed = 0; seed < 300; ++seed) {
    for_each_inst(generate({.seed = seed, .size = 400}), [&](const Function& function, const Inst& inst) {
      if (inst.guard) guarded.insert(inst.op), polarities[inst.guard.is_negated()] = true;
      if (inst.op == Opcode::Cmp) conditions.insert(inst.cond());
      if (inst.op != Opcode::Cmpp) return;
      actions.emplace(inst.action(0), inst.action(1));
      Operand input = function.operands(inst)[2];
      inputs[!input.reads_reg() ? 0 : input.is_negated() ? 2 : 1] = true;
    });
  }
  for (int i = 0; i < kNumConds; ++i) EXPECT_TRUE(conditions.contains(static_cast<Cond>(i))) << i;
  for (int i = 0; i < 8; ++i) {
    Action action = static_cast<Action>(i);
    EXPECT_TRUE(actions.contains({action, Action::none})) << action_name(action);
    if (!is_partial(action)) continue;
    for (int k = 0; k < 8; ++k) {
      Action second = static_cast<Action>(k);
      EXPECT_TRUE(actions.contains({action, second})) << action_name(action) << "." << action_name(second);
    }
  }
  for (Action first : {Action::un, Action::uc}) {
    for (Action second : {Action::un, Action::uc}) EXPECT_TRUE(actions.contains({first, second}));
  }
  for (bool seen : inputs) EXPECT_TRUE(seen);
  for (bool seen : polarities) EXPECT_TRUE(seen);
  for (Opcode op :
       {Opcode::Store, Opcode::Load, Opcode::Call, Opcode::Udiv, Opcode::Sdiv, Opcode::Cmp, Opcode::Cmpp,
        Opcode::Br, Opcode::Ret, Opcode::Switch, Opcode::Unreachable, Opcode::Memset, Opcode::Slot}) {
    EXPECT_TRUE(guarded.contains(op)) << info(op).name;
  }
}

TEST(Generate, OptionsLeaveThingsOut) {
  for (uint64_t seed = 0; seed < 60; ++seed) {
    Shape shape = static_cast<Shape>(seed % 4);
    auto program = [&](auto change) {
      GenerateOptions options = {.seed = seed, .size = 300, .shape = shape};
      change(options);
      return generate(options);
    };
    for_each_inst(program([](GenerateOptions& o) { o.guards = false; }),
                  [](const Function&, const Inst& inst) {
                    EXPECT_FALSE(inst.guard);
                    EXPECT_NE(inst.op, Opcode::Cmpp);
                  });
    for_each_inst(program([](GenerateOptions& o) { o.memory = false; }),
                  [](const Function&, const Inst& inst) {
                    EXPECT_NE(inst.op, Opcode::Store);
                    EXPECT_NE(inst.op, Opcode::Slot);
                  });
    for_each_inst(program([](GenerateOptions& o) { o.floats = false; }),
                  [](const Function& function, const Inst& inst) {
                    EXPECT_FALSE(is_float(inst.type));
                    for (Operand operand : function.operands(inst))
                      EXPECT_FALSE(is_float(function.type(operand)));
                  });
    for_each_inst(program([](GenerateOptions& o) { o.switches = false; }),
                  [](const Function&, const Inst& inst) { EXPECT_NE(inst.op, Opcode::Switch); });
    for_each_inst(program([](GenerateOptions& o) { o.calls = o.externals = false; }),
                  [](const Function&, const Inst& inst) { EXPECT_NE(inst.op, Opcode::Call); });
    Module straight = program([](GenerateOptions& o) { o.shape = Shape::Straight; });
    for_each_inst(straight, [](const Function& function, const Inst&) {
      EXPECT_TRUE(function.layout().size() == 1 || function.signature.variadic);
    });
  }
}

TEST(Generate, SizeIsNearTheTarget) {
  for (Shape shape : {Shape::Structured, Shape::Irreducible, Shape::Straight, Shape::Mixed}) {
    for (uint64_t size : {30, 100, 1000, 20'000, 200'000}) {
      for (uint64_t seed = 0; seed < (size > 10'000 ? 2 : 20); ++seed) {
        uint64_t actual = count_instructions(generate({.seed = seed, .size = size, .shape = shape}));
        EXPECT_GE(2 * actual, size) << shape_name(shape) << " " << seed;
        EXPECT_LE(actual, 2 * size + 20) << shape_name(shape) << " " << seed;
      }
    }
  }
}

TEST(Generate, NumberOfFunctions) {
  for (uint32_t functions : {1, 2, 7}) {
    Module module = generate({.seed = 3, .size = 500, .functions = functions});
    uint32_t bodies = 0;
    for (SymbolId symbol : module.declarations()) {
      bodies += module.kind(symbol) == SymbolKind::Function && !module.function(symbol).is_declaration();
    }
    EXPECT_EQ(bodies, functions);
  }
}

TEST(Generate, RunsStayWithinTheirSteps) {
  for (uint64_t seed = 0; seed < testing::iterations(100u); ++seed) {
    Module module = generate({.seed = seed, .size = 100, .max_steps = 3000});
    Outcome outcome = interpret(module, *module.find_symbol("main"), {}, run_options());
    EXPECT_LE(outcome.stats.total_executed() + outcome.stats.total_nullified(), 6000u) << "seed " << seed;
  }
}

TEST(Generate, LargeFunction) {
  for (Shape shape : {Shape::Structured, Shape::Irreducible, Shape::Straight, Shape::Mixed}) {
    Module module = generate({.seed = 1, .size = 300'000, .functions = 1, .shape = shape});
    EXPECT_EQ(errors_of(module), "");
    Outcome outcome = interpret(module, *module.find_symbol("main"), {}, run_options());
    EXPECT_NE(outcome.status, Outcome::Status::Undefined) << outcome.message;
  }
}

// The text of a few programs, as a number. It must not depend on compiler or platform; whoever changes what
// is generated changes it here.
TEST(Generate, SameOnEveryPlatform) {
  uint64_t hash = 0;
  for (uint64_t seed = 0; seed < 200; ++seed) {
    for (unsigned char c : print(generate(options_for(seed)))) hash = (hash ^ c) * 1099511628211u;
  }
  EXPECT_EQ(hash, 16314145598403734797u);
}

TEST(Generate, ShapeNames) {
  for (Shape shape : {Shape::Structured, Shape::Irreducible, Shape::Straight, Shape::Mixed}) {
    EXPECT_EQ(shape_from_name(shape_name(shape)), shape);
  }
  EXPECT_FALSE(shape_from_name("round"));
}

}  // namespace
}  // namespace psi
