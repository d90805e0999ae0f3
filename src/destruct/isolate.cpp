#include "destruct/isolate.h"

#include <optional>
#include <utility>
#include <vector>

#include "destruct/edge_values.h"

namespace psi::destruction {

void isolate_phis(Function& function, Analyses& analyses, PhiCopies which, Copies& copies,
                  std::vector<LiteralCopy>* literals) {
  std::optional<EdgeValues> edge_values;
  if (literals) edge_values.emplace(function, analyses);
  std::vector<InstId> kept;
  std::vector<uint8_t> is_read(function.num_regs());
  for (BlockId b : function.layout()) {
    for (InstId id : function.insts(b)) {
      const Inst& inst = function.inst(id);
      if (inst.guard) is_read[inst.guard.reg().index()] = 1;
      for (Operand operand : std::as_const(function).operands(id)) {
        if (operand.reads_reg()) is_read[operand.reg().index()] = 1;
      }
    }
  }
  for (BlockId b : analyses.dominators().preorder()) {
    uint32_t num_phis = 0, num_dead = 0;
    // New instructions move the lists, so no reference into the function is kept.
    for (; num_phis < function.insts(b).size(); ++num_phis) {
      InstId id = function.insts(b)[num_phis];
      if (!function.inst(id).is_phi()) break;
      Reg result = function.inst(id).results[0];
      Type type = function.type(result);
      if (!is_read[result.index()]) {
        ++num_dead;
        continue;
      }
      for (uint32_t i = 1; i < function.inst(id).count; i += 2) {
        Operand pred = function.operands(id)[i - 1], value = function.operands(id)[i];
        if (value.is_undef()) continue;
        Reg known;
        if (literals && value.is_literal()) known = edge_values->find(pred.block(), b, value);
        InstId copy = copies.make(known ? Operand::reg(known) : value, type);
        if (known) literals->push_back({copy, value});
        copies.at_end(pred.block(), copy);
        function.operands(id)[i] = Operand::reg(copies.result(copy));
      }
      if (which == PhiCopies::Arguments) continue;
      Reg inner = function.add_reg(type);
      copies.at_head(b, copies.make(Operand::reg(inner), type, Guard(), result));
      function.inst(id).results[0] = inner;
    }
    if (num_dead == 0) continue;
    kept.clear();
    for (InstId id : function.insts(b)) {
      const Inst& inst = function.inst(id);
      if (!inst.is_phi() || inst.results[0].index() >= is_read.size() || is_read[inst.results[0].index()]) {
        kept.push_back(id);
      }
    }
    function.set_insts(b, kept);
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
        // Where the cmpp is not executed, its register may hold something else.
        InstId copy = copies.make(old, Type::i1, cmpp.guard);
        copies.above(b, position, copy);
        function.operands(id)[operand] = Operand::reg(copies.result(copy));
      });
    }
  }
}

}  // namespace psi::destruction
