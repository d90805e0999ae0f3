#include <algorithm>
#include <array>
#include <utility>

#include "psi/cfg.h"
#include "psi/dominators.h"
#include "testing/reducer/edit.h"

namespace psi::reducer {
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

  // Puts in place of operand `i`, which must not be read any more, what may stand there instead.
  void replace(InstId id, uint32_t i) {
    Operand old = function_.operands(id)[i];
    bool callee = function_.inst(id).op == Opcode::Call && i == 0;
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
        std::span<const Operand> old = std::as_const(function_).operands(id);
        std::vector<std::pair<BlockId, Operand>> known;
        for (size_t i = 0; i + 1 < old.size(); i += 2) known.emplace_back(old[i].block(), old[i + 1]);
        std::sort(known.begin(), known.end(), [](const auto& a, const auto& b) {
          return std::pair(a.first, a.second.raw()) < std::pair(b.first, b.second.raw());
        });
        Operand missing = zero(function_, function_.inst(id).type);
        cfg.for_each_distinct_predecessor(b, [&](BlockId from) {
          auto at = std::lower_bound(known.begin(), known.end(), from,
                                     [](const auto& entry, BlockId block) { return entry.first < block; });
          operands.push_back(Operand::block(from));
          operands.push_back(at != known.end() && at->first == from ? at->second : missing);
        });
        if (!same_blocks(old, operands)) function_.set_operands(id, operands);
      }
    }
  }

  // Are the entries for the same blocks, whatever the order?
  static bool same_blocks(std::span<const Operand> old, std::span<const Operand> wanted) {
    auto blocks = [](std::span<const Operand> operands) {
      std::vector<uint32_t> found;
      for (size_t i = 0; i < operands.size(); i += 2) found.push_back(operands[i].block().index());
      std::sort(found.begin(), found.end());
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
          bool fine = inst.is_phi()
                          ? reaches(operand.reg(), function_.operands(id)[i - 1].block(), UINT32_MAX)
                          : reaches(operand.reg(), b, position);
          if (!fine) replace(id, i);
        }
      }
    }
    // A guard that went may have been a terminator's.
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

}  // namespace psi::reducer
