// Expansions give what they stand for: each is executed, on boundary and random operands, against the
// operation.
#include <gtest/gtest.h>

#include <random>

#include "psi/interp/interpret.h"
#include "psi/ir/evaluate.h"
#include "psi/target/description.h"
#include "psi/target/target.h"
#include "psi/text/text.h"

namespace psi {
namespace {

bool calls(const Function& function) {
  for (InstId id : function.insts(function.entry())) {
    if (function.inst(id).op == Opcode::Call) return true;
  }
  return false;
}

std::vector<uint64_t> operands_for(Type type, std::mt19937_64& random) {
  std::vector<uint64_t> all = {0,
                               1,
                               2,
                               31,
                               32,
                               33,
                               63,
                               64,
                               0x7f,
                               0x80,
                               0x7fffffff,
                               0x80000000,
                               0xffffffff,
                               uint64_t{1} << 63,
                               ~uint64_t{0},
                               0x5555555555555555,
                               0x0123456789abcdef};
  for (int i = 0; i < 12; ++i) all.push_back(random() >> (random() % 64));
  for (uint64_t& bits : all) bits &= value_mask(type);
  return all;
}

// The function of an expansion, made to return one of the values that it computes.
Module returning(const TargetDescription& d, const Expansion& expansion, const Expansion::Part& value) {
  Module module = *d.code;
  Function& function = module.function(expansion.function);
  function.signature.result = function.type(value.reg);
  InstId last = function.insts(function.entry()).back();
  Operand result(value.reg);
  function.set_operands(last, std::span(&result, 1));
  return module;
}

class Expansions : public ::testing::TestWithParam<const char*> {};

TEST_P(Expansions, give_what_they_stand_for) {
  const TargetDescription& d = *find_target(GetParam())->description;
  std::mt19937_64 random(7);
  uint64_t compared = 0;
  for (const Expansion& expansion : d.expansions) {
    const Inst& pattern = expansion.pattern;
    const Function& body = d.code->function(expansion.function);
    bool is_known =
        pattern.computes() && pattern.op != Opcode::Cmpp && !calls(body) && expansion.values.size() <= 2;
    bool uses_address = d.pointer_bits == 32 && (pattern.type == Type::ptr || pattern.from() == Type::ptr);
    if (!is_known || uses_address || is_float(pattern.type)) continue;
    SCOPED_TRACE(expansion.header);
    std::vector<std::vector<uint64_t>> choices;
    for (const Expansion::Operand& operand : expansion.operands)
      choices.push_back(operands_for(operand.type, random));
    std::vector<Module> modules;
    for (const Expansion::Part& value : expansion.values) modules.push_back(returning(d, expansion, value));
    for (int round = 0; round < 60; ++round) {
      std::vector<Value> values;
      for (const auto& choice : choices) values.push_back({choice[random() % choice.size()], false});
      std::optional<Value> wanted = evaluate(pattern, values);
      if (!wanted || wanted->undef) continue;
      std::vector<Value> arguments;
      for (const Expansion::Part& part : expansion.params) {
        uint64_t bits = values[part.index].bits;
        if (part.half == Half::High) bits >>= bit_width(body.type(part.reg));
        arguments.push_back({bits & value_mask(body.type(part.reg)), false});
      }
      uint64_t given = 0;
      for (size_t i = 0; i < modules.size(); ++i) {
        Outcome outcome = interpret(modules[i], expansion.function, arguments);
        ASSERT_TRUE(outcome.returned()) << outcome.message;
        ASSERT_FALSE(outcome.result.undef);
        bool is_high = expansion.values[i].half == Half::High;
        given |= outcome.result.bits << (is_high ? bit_width(outcome.result_type) : 0);
      }
      ASSERT_EQ(given, wanted->bits) << values[0].bits << " " << (values.size() > 1 ? values[1].bits : 0);
      ++compared;
    }
  }
  EXPECT_GT(compared, 1000u);
}

INSTANTIATE_TEST_SUITE_P(Targets, Expansions, ::testing::Values("tiny", "st200", "playdoh"));

}  // namespace
}  // namespace psi
