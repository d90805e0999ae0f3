#include "destruct/isolate.h"

#include <optional>
#include <utility>
#include <vector>

#include "destruct/edge_values.h"
#include "destruct/phis.h"
#include "psi/analysis/dominators.h"
#include "psi/ir/views.h"

namespace psi::destruct {

void isolate_phis(Function& function, Analyses& analyses, PhiCopies which, Copies& copies,
                  std::vector<LiteralCopy>* literals) {
  if (drop_dead_phis(function)) analyses.drop(Keeps::ControlFlow);
  std::optional<EdgeValues> edge_values;
  if (literals) edge_values.emplace(function, analyses);
  for (BlockId b : analyses.get<Dominators>().preorder()) {
    // New instructions move the lists, so references into the function become invalid.
    for_each_phi(function, b, [&](InstId id) {
      Reg result = function.inst(id).results[0];
      Type type = function.type(result);
      for (size_t i = 0; i < phi_entries(function, id).size(); ++i) {
        auto [pred, value] = phi_entries(function, id)[i];
        if (value.is_undef()) continue;
        Reg known;
        if (literals && value.is_literal()) known = edge_values->find(pred, b, value);
        InstId copy = copies.make(known ? Operand::reg(known) : value, type);
        if (known) literals->push_back({copy, value});
        copies.at_end(pred, copy);
        mutable_phi_entries(function, id)[i].value = Operand::reg(copies.result(copy));
      }
      if (which == PhiCopies::Arguments) return;
      Reg inner = function.add_reg(type);
      copies.at_head(b, copies.make(Operand::reg(inner), type, Guard(), result));
      function.inst(id).results[0] = inner;
    });
  }
}

void isolate_partial_compares(Function& function, const Dominators& dominators, Copies& copies) {
  for (BlockId b : dominators.preorder()) {
    for (uint32_t position = 0; position < function.insts(b).size(); ++position) {
      InstId id = function.insts(b)[position];
      if (function.inst(id).op != Opcode::Cmpp) continue;
      Inst cmpp = function.inst(id);
      for_each_old_value(cmpp, [&](Reg target, uint32_t operand) {
        Reg inner = function.add_reg(Type::i1);
        copies.above(b, position + 1, copies.make(Operand::reg(inner), Type::i1, cmpp.guard, target));
        for (Reg& result : function.inst(id).results) {
          if (result == target) result = inner;
        }
        Operand old = function.operands(id)[operand];
        if (old.is_undef()) return;
        // Where the cmpp is not executed, its register may hold another value.
        InstId copy = copies.make(old, Type::i1, cmpp.guard);
        copies.above(b, position, copy);
        function.operands(id)[operand] = Operand::reg(copies.result(copy));
      });
    }
  }
}

}  // namespace psi::destruct
