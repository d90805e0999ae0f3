// A program that embeds the library: it builds a function in psi-SSA form, verifies it, prints it, and runs
// it.
#include <array>
#include <cstdint>
#include <iostream>
#include <span>
#include <string>

#include "psi/builder.h"
#include "psi/diagnostic.h"
#include "psi/interpret.h"
#include "psi/module.h"
#include "psi/text.h"
#include "psi/verify.h"

namespace {

using psi::Operand;
using psi::Type;

// |a - b| without a branch: each difference is computed under a guard, and a psi takes the one that was.
psi::SymbolId add_distance(psi::Module& module) {
  psi::SymbolId symbol = module.intern_symbol("distance");
  psi::Function& function = module.add_function(symbol);
  function.form = psi::Form::Ssa;
  function.signature = {Type::i32, {Type::i32, Type::i32}, false};
  Operand a = Operand::reg(function.params.emplace_back(function.add_reg(Type::i32, "a")));
  Operand b = Operand::reg(function.params.emplace_back(function.add_reg(Type::i32, "b")));

  psi::Builder builder(function);
  builder.at(function.add_block("entry"));
  psi::Reg less = builder.cmp(psi::Cond::lt, Type::i32, a, b, "less");
  builder.guard(psi::Guard(less, false));
  psi::Reg up = builder.op(psi::Opcode::Sub, Type::i32, {b, a}, "up");
  builder.guard(psi::Guard(less, true));
  psi::Reg down = builder.op(psi::Opcode::Sub, Type::i32, {a, b}, "down");
  builder.guard(psi::Guard());
  std::array<Operand, 4> arguments = {Operand::reg(less), Operand::reg(up),  //
                                      Operand::not_reg(less), Operand::reg(down)};
  builder.ret(Operand::reg(builder.psi(Type::i32, arguments, "result")));
  return symbol;
}

int32_t call(const psi::Module& module, psi::SymbolId function, int32_t a, int32_t b) {
  std::array<psi::Value, 2> arguments = {psi::Value{static_cast<uint32_t>(a)},
                                         psi::Value{static_cast<uint32_t>(b)}};
  psi::Outcome outcome = psi::interpret(module, function, arguments);
  if (outcome.status != psi::Outcome::Status::Returned) {
    std::cerr << outcome.message << '\n';
    return -1;
  }
  return static_cast<int32_t>(psi::sign_extend(outcome.result.bits, outcome.result_type));
}

}  // namespace

int main() {
  psi::Module module;
  psi::SymbolId distance = add_distance(module);

  psi::Diagnostics errors;
  if (!psi::verify(module, errors)) {
    std::cerr << psi::render(errors, "distance", {});
    return 1;
  }
  std::cout << psi::print(module) << '\n';
  std::cout << "distance(3, 10) = " << call(module, distance, 3, 10) << '\n';
  std::cout << "distance(10, 3) = " << call(module, distance, 10, 3) << '\n';
}
