// What random blocks and regions have in common: a function with conditions on its parameters.
#pragma once

#include <vector>

#include "psi/ir/builder.h"
#include "random_programs.h"
#include "testing/random.h"

namespace psi::soak {

// left <cond> right, of type i8.
struct Comparison {
  Cond cond;
  Operand left;
  Operand right;
};

class ProgramMaker {
 public:
  explicit ProgramMaker(uint64_t seed)
      : random(seed),
        function(program.module.add_function(program.module.intern_symbol("f"))),
        builder(function) {
    builder.at(function.add_block());
  }

 protected:
  Reg add_param(Type type, uint32_t choice, std::vector<uint8_t> values) {
    Reg param = function.add_reg(type);
    function.params.push_back(param);
    function.signature.params.push_back(type);
    program.worlds.set(param, choice, std::move(values));
    return param;
  }

  // A parameter that is true or false.
  Reg add_bit() { return add_param(Type::i1, program.worlds.add_choice(2), {0, 1}); }

  // Of parameters of its own, or one and a constant. Only itself and its negation may be asked for: between
  // the values of its two worlds other conditions are not free.
  Comparison add_comparison() {
    uint32_t choice = program.worlds.add_choice(2);
    auto at = static_cast<uint8_t>(random.range(1, 100));
    Cond cond = random.one_of({Cond::eq, Cond::le, Cond::ule});
    // It fails, and it holds.
    Operand left = Operand::reg(add_param(Type::i8, choice, {static_cast<uint8_t>(at + 1), at}));
    if (random.coin()) return {cond, left, literal(at)};
    return {cond, left, Operand::reg(add_param(Type::i8, choice, {at, at}))};
  }

  Operand literal(uint8_t value) { return function.literal(Type::i8, uint64_t{value}); }

  // Itself or its negation, written in one of several ways.
  Comparison written_somehow(Comparison c) {
    if (random.coin()) c.cond = negate(c.cond);
    if (random.coin()) c = {swap_operands(c.cond), c.right, c.left};
    return c;
  }

  Program program;
  Random random;
  Function& function;
  Builder builder;
};

Program random_block(bool correlated, uint64_t seed);
Program random_region(bool structured, uint64_t seed);

}  // namespace psi::soak
