#include <algorithm>
#include <array>
#include <utility>

#include "psi/analysis/cfg.h"
#include "psi/analysis/dominators.h"
#include "psi/ir/views.h"
#include "testing/reducer/edit.h"

namespace psi::testing {
namespace {

class Repair {
 public:
  explicit Repair(Function& function) : function_(function) {}

  void run() {
    find_definitions();
    drop_undefined();
    end_blocks();
    if (!is_ssa(function_.form)) return;
    Cfg cfg(function_);
    fit_phis(cfg);
    check_dominance(Dominators(cfg));
  }

 private:
  void find_definitions() {
    defined_.assign(function_.num_regs(), false);
    for (Reg param : function_.params) defined_[param.index()] = true;
    for (BlockId b : function_.layout()) {
      for (InstId id : function_.insts(b)) {
        for (Reg result : function_.inst(id).results) {
          if (result) defined_[result.index()] = true;
        }
      }
    }
  }

  // Replaces operand `i`, which must not be read any more, by a valid one.
  void replace(InstId id, uint32_t i) {
    Operand old = function_.operands(id)[i];
    bool callee = function_.inst(id).op == Opcode::Call && i == kCallee;
    bool value = callee || is_value_operand(function_, function_.inst(id), i);
    Operand instead = value ? zero(function_, function_.type(old.reg())) : Operand::always();
    function_.operands(id)[i] = instead;
  }

  void drop_undefined() {
    for (BlockId b : function_.layout()) {
      for (InstId id : function_.insts(b)) {
        Inst& inst = function_.inst(id);
        if (inst.guard && !defined_[inst.guard.reg().index()]) inst.guard = Guard();
        for (uint32_t i = 0; i < inst.count; ++i) {
          Operand operand = function_.operands(id)[i];
          if (operand.reads_reg() && !defined_[operand.reg().index()]) replace(id, i);
        }
      }
    }
  }

  void end_blocks() {
    std::vector<InstId> list;
    for (BlockId b : function_.layout()) {
      std::span<const InstId> ids = function_.insts(b);
      auto end = std::find_if(ids.begin(), ids.end(), [&](InstId id) {
        return function_.inst(id).is_terminator() && !function_.inst(id).guard;
      });
      if (end != ids.end() && end + 1 == ids.end()) continue;
      list.assign(ids.begin(), end == ids.end() ? end : end + 1);
      if (end == ids.end()) {
        Inst inst;
        inst.op = Opcode::Ret;
        Type type = function_.signature.result;
        list.push_back(type == Type::none ? function_.add_inst(inst, {})
                                          : function_.add_inst(inst, std::array{zero(function_, type)}));
      }
      function_.set_insts(b, list);
    }
  }

  void fit_phis(const Cfg& cfg) {
    std::vector<Operand> operands;
    for (BlockId b : function_.layout()) {
      for (InstId id : function_.insts(b)) {
        if (!function_.inst(id).is_phi()) continue;
        operands.clear();
        PhiEntries old = phi_entries(function_, id);
        std::vector<PhiEntry> known(old.begin(), old.end());
        std::ranges::sort(known, {},
                          [](PhiEntry entry) { return std::pair(entry.block, entry.value.raw()); });
        Operand missing = zero(function_, function_.inst(id).type);
        cfg.for_each_distinct_predecessor(b, [&](BlockId from) {
          auto at = std::ranges::lower_bound(known, from, {}, &PhiEntry::block);
          add_phi_entry(operands, from, at != known.end() && at->block == from ? at->value : missing);
        });
        if (!same_blocks(old, phi_entries(operands))) function_.set_operands(id, operands);
      }
    }
  }

  // Are the entries for the same blocks, whatever the order?
  static bool same_blocks(PhiEntries old, PhiEntries wanted) {
    auto blocks = [](PhiEntries entries) {
      std::vector<BlockId> found;
      for (PhiEntry entry : entries) found.push_back(entry.block);
      std::ranges::sort(found);
      return found;
    };
    return blocks(old) == blocks(wanted);
  }

  struct Place {
    BlockId block;
    uint32_t position = 0;
  };

  void check_dominance(const Dominators& dominators) {
    std::vector<Place> places(function_.num_regs());
    for (Reg param : function_.params) places[param.index()] = {function_.entry(), 0};
    for (BlockId b : function_.layout()) {
      uint32_t position = 0;
      for (InstId id : function_.insts(b)) {
        ++position;
        for (Reg result : function_.inst(id).results) {
          if (result) places[result.index()] = {b, position};
        }
      }
    }
    auto reaches = [&](Reg reg, BlockId block, uint32_t position) {
      Place from = places[reg.index()];
      if (!from.block) return false;
      return from.block == block ? from.position < position : dominators.dominates(from.block, block);
    };
    for (BlockId b : function_.layout()) {
      uint32_t position = 0;
      for (InstId id : function_.insts(b)) {
        ++position;
        Inst& inst = function_.inst(id);
        if (inst.guard && !reaches(inst.guard.reg(), b, position)) inst.guard = Guard();
        for (uint32_t i = 0; i < inst.count; ++i) {
          Operand operand = function_.operands(id)[i];
          if (!operand.reads_reg()) continue;
          bool fine = inst.is_phi() ? reaches(operand.reg(), incoming_block(function_, id, i), UINT32_MAX)
                                    : reaches(operand.reg(), b, position);
          if (!fine) replace(id, i);
        }
      }
    }
    // A removed guard may have been a terminator's.
    end_blocks();
  }

  Function& function_;
  std::vector<bool> defined_;
};

}  // namespace

void repair(Module& module) {
  for (SymbolId symbol : module.declarations()) {
    if (module.kind(symbol) != SymbolKind::Function || module.function(symbol).is_declaration()) continue;
    Repair(module.function(symbol)).run();
  }
}

}  // namespace psi::testing
