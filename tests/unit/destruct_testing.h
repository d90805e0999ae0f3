// Out of SSA form in the plainest way, to see what webs are worth, and runs to compare.
#pragma once

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "psi/interp/interpret.h"
#include "psi/ir/builder.h"
#include "psi/ir/edits.h"
#include "psi/ir/module.h"
#include "psi/text/text.h"
#include "psi/verify/verify.h"

namespace psi::testing {

// Phis, and partial targets of cmpps, go by way of registers of their own. Then each web is renamed to its
// representative, and psis are dropped.
class PlainTranslation {
 public:
  PlainTranslation(Function& function, std::vector<Reg> webs) : function_(function), webs_(std::move(webs)) {
    for (BlockId b : function_.layout()) replace_phis(b);
    for (BlockId b : function_.layout()) rewrite(b);
    for (Reg& param : function_.params) param = web(param);
    define_undef();
    function_.form = Form::Plain;
  }

 private:
  Reg web(Reg r) const { return r.index() < webs_.size() ? webs_[r.index()] : r; }

  InstId copy(Operand source, Reg result, Guard guard = {}) {
    Inst inst;
    inst.op = Opcode::Mov;
    inst.type = function_.type(result);
    inst.guard = guard;
    inst.results[0] = result;
    return function_.add_inst(inst, std::array{source});
  }

  void insert_at_end(BlockId b, InstId id) {
    BlockEdits edits;
    edits.insert_before(static_cast<uint32_t>(function_.insts(b).size() - function_.terminators(b).size()),
                        id);
    edits.apply(function_, b);
  }

  void replace_phis(BlockId b) {
    for (uint32_t i = 0; function_.inst(function_.insts(b)[i]).is_phi(); ++i) {
      InstId phi = function_.insts(b)[i];
      Reg result = function_.inst(phi).results[0], between = function_.add_reg(function_.type(result));
      std::vector<Operand> pairs(function_.operands(phi).begin(), function_.operands(phi).end());
      for (size_t k = 0; k < pairs.size(); k += 2) {
        insert_at_end(pairs[k].block(), copy(pairs[k + 1], between));
      }
      std::vector<InstId> list(function_.insts(b).begin(), function_.insts(b).end());
      list[i] = copy(Operand::reg(between), result);
      function_.set_insts(b, list);
    }
  }

  void rewrite(BlockId b) {
    std::vector<InstId> old(function_.insts(b).begin(), function_.insts(b).end()), list;
    for (InstId id : old) {
      if (function_.inst(id).is_psi()) continue;
      std::vector<InstId> after;
      if (function_.inst(id).op == Opcode::Cmpp) separate(id, list, after);
      list.push_back(id);
      list.insert(list.end(), after.begin(), after.end());
    }
    for (InstId id : list) {
      Inst& inst = function_.inst(id);
      if (inst.guard) inst.guard = Guard(web(inst.guard.reg()), inst.guard.is_negated());
      for (Reg& result : inst.results) {
        if (result) result = web(result);
      }
      for (Operand& operand : function_.operands(id)) {
        if (operand.reads_reg()) operand = Operand::predicate(web(operand.reg()), operand.is_negated());
      }
    }
    function_.set_insts(b, list);
  }

  void separate(InstId cmpp, std::vector<InstId>& before, std::vector<InstId>& after) {
    std::vector<Operand> operands(function_.operands(cmpp).begin(), function_.operands(cmpp).end());
    size_t old = 3;
    for (int i = 0; i < 2; ++i) {
      Reg result = function_.inst(cmpp).results[i];
      if (!result || !is_partial(function_.inst(cmpp).action(i))) continue;
      Reg between = function_.add_reg(Type::i1);
      before.push_back(copy(operands[old++], between));
      after.push_back(copy(Operand::reg(between), result, function_.inst(cmpp).guard));
      function_.inst(cmpp).results[i] = between;
    }
    operands.resize(3);
    function_.set_operands(cmpp, operands);
  }

  // What only psis of undef defined.
  void define_undef() {
    std::vector<uint8_t> is_defined(function_.num_regs());
    for (Reg param : function_.params) is_defined[param.index()] = 1;
    for (BlockId b : function_.layout()) {
      for (InstId id : function_.insts(b)) {
        for (Reg result : function_.inst(id).results) {
          if (result) is_defined[result.index()] = 1;
        }
      }
    }
    BlockEdits edits;
    for (uint32_t r = 0; r < is_defined.size(); ++r) {
      if (!is_defined[r]) edits.insert_before(0, copy(Operand::undef(function_.type(Reg(r))), Reg(r)));
    }
    edits.apply(function_, function_.entry());
  }

  Function& function_;
  std::vector<Reg> webs_;
};

inline ::testing::AssertionResult is_valid(const Module& module) {
  Result<void> verified = verifies(module);
  if (verified) return ::testing::AssertionSuccess();
  return ::testing::AssertionFailure() << render(verified, "result", print(module));
}

inline Outcome run_recorded(const Module& module, SymbolId function, std::span<const Value> arguments,
                            uint64_t fuel = 10'000'000) {
  InterpretOptions options;
  options.fuel = fuel;
  options.record = true;
  options.stub_externals = true;
  return interpret(module, function, arguments, options);
}

// Calls visit(Function&) for each function that is defined.
template <class Visit>
void for_each_body(Module& module, Visit visit) {
  for (SymbolId symbol : module.declarations()) {
    if (module.kind(symbol) != SymbolKind::Function || module.function(symbol).is_declaration()) continue;
    visit(module.function(symbol));
  }
}

}  // namespace psi::testing
