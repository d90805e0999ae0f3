// Functions that show what they do while they run.
#pragma once

#include <fmt/format.h>

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "psi/ir/module.h"

namespace psi::testing {

// Makes a function call $seen_block(b) where each block starts, after the phis, and $seen_T(r, value) where a
// register of type T is defined. Registers of type ptr are left out. Undefined values are shown as some
// value.
inline void show_values(Module& module, Function& function) {
  auto call = [&](std::string_view what, std::vector<Operand> arguments, Guard guard) {
    SymbolId symbol = module.intern_symbol(fmt::format("seen_{}", what));
    if (module.kind(symbol) == SymbolKind::Undeclared) {
      Signature& signature = module.add_function(symbol).signature;
      for (Operand argument : arguments) signature.params.push_back(function.type(argument));
    }
    arguments.insert(arguments.begin(), Operand::symbol(symbol));
    Inst inst;
    inst.op = Opcode::Call;
    inst.guard = guard;
    return function.add_inst(inst, arguments);
  };
  auto number = [&](auto id) { return function.literal(Type::i32, int64_t{id.index()}); };
  for (BlockId b : function.layout()) {
    std::vector<InstId> old(function.insts(b).begin(), function.insts(b).end()), list, shows;
    shows.push_back(call("block", {number(b)}, {}));
    for (InstId id : old) {
      const Inst inst = function.inst(id);
      if (!inst.is_phi()) {
        list.insert(list.end(), shows.begin(), shows.end());
        shows.clear();
      }
      list.push_back(id);
      for (Reg r : inst.results) {
        if (!r || function.type(r) == Type::ptr) continue;
        Inst freeze;
        freeze.op = Opcode::Freeze;
        freeze.type = function.type(r);
        freeze.guard = inst.guard;
        freeze.results[0] = function.add_reg(freeze.type);
        shows.push_back(function.add_inst(freeze, std::array{Operand::reg(r)}));
        Operand shown = Operand::reg(freeze.results[0]);
        shows.push_back(call(type_name(freeze.type), {number(r), shown}, inst.guard));
      }
    }
    function.set_insts(b, list);
  }
}

}  // namespace psi::testing
