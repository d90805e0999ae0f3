// Two sweeps over the layout: one counts, one fills; linear.

#include "psi/analysis/uses.h"

namespace psi {
namespace {

// Calls use(Reg, Use) and define(Reg, InstId), in layout order.
template <class OnUse, class OnDefinition>
void for_each_mention(const Function& function, OnUse use, OnDefinition define) {
  for (BlockId b : function.layout()) {
    for (InstId id : function.insts(b)) {
      const Inst& inst = function.inst(id);
      if (inst.guard) use(inst.guard.reg(), Use{id, Use::kGuard});
      std::span<const Operand> operands = function.operands(inst);
      for (uint32_t i = 0; i < operands.size(); ++i) {
        if (operands[i].reads_reg()) use(operands[i].reg(), Use{id, i});
      }
      for (uint32_t i = 0; i < inst.num_results(); ++i) define(inst.results[i], id);
    }
  }
}

}  // namespace

Uses::Uses(const Function& function)
    : use_start_(function.num_regs() + 1),
      definition_start_(function.num_regs() + 1),
      is_param_(function.num_regs()),
      block_(function.num_insts()),
      position_(function.num_insts()) {
  for (Reg r : function.params) is_param_[r.index()] = 1;
  for (BlockId b : function.layout()) {
    uint32_t position = 0;
    for (InstId id : function.insts(b)) {
      block_[id.index()] = b;
      position_[id.index()] = position++;
    }
  }

  for_each_mention(
      function, [&](Reg r, Use) { ++use_start_[r.index() + 1]; },
      [&](Reg r, InstId) { ++definition_start_[r.index() + 1]; });
  for (uint32_t i = 0; i < function.num_regs(); ++i) {
    use_start_[i + 1] += use_start_[i];
    definition_start_[i + 1] += definition_start_[i];
  }
  uses_.resize(use_start_.back());
  definitions_.resize(definition_start_.back());
  std::vector<uint32_t> next_use(use_start_.begin(), use_start_.end() - 1);
  std::vector<uint32_t> next_definition(definition_start_.begin(), definition_start_.end() - 1);
  for_each_mention(
      function, [&](Reg r, Use use) { uses_[next_use[r.index()]++] = use; },
      [&](Reg r, InstId id) { definitions_[next_definition[r.index()]++] = id; });
}

}  // namespace psi
