#include "ssa/variables.h"

#include <algorithm>

namespace psi::ssa {

Variables::Variables(const Function& function, const Dominators& dominators)
    : dominators_(dominators),
      is_nonlocal_(function.num_regs()),
      last_defined_(function.num_regs()),
      last_exposed_(function.num_regs()) {
  defined_.start.push_back(0);
  exposed_.start.push_back(0);
  for (BlockId b : dominators.preorder()) {
    scan_block(function, b);
    defined_.start.push_back(static_cast<uint32_t>(defined_.variables.size()));
    exposed_.start.push_back(static_cast<uint32_t>(exposed_.variables.size()));
  }
  definitions_ = turn(defined_);
  exposures_ = turn(exposed_);
  last_defined_ = {};
  last_exposed_ = {};
}

void Variables::scan_block(const Function& function, BlockId b) {
  auto read = [&](Reg variable) {
    uint32_t v = variable.index();
    if (last_defined_[v] == b || last_exposed_[v] == b) return;
    last_exposed_[v] = b;
    is_nonlocal_[v] = true;
    exposed_.variables.push_back(variable);
  };
  auto define = [&](Reg variable) {
    if (last_defined_[variable.index()] == b) return;
    last_defined_[variable.index()] = b;
    defined_.variables.push_back(variable);
  };
  if (b == function.entry()) {
    for (Reg param : function.params) define(param);
  }
  for (InstId id : function.insts(b)) {
    const Inst& inst = function.inst(id);
    if (inst.guard) read(inst.guard.reg());
    for (Operand operand : function.operands(inst)) {
      if (operand.reads_reg()) read(operand.reg());
    }
    for (int i = 0; i < 2; ++i) {
      if (!inst.results[i]) continue;
      bool partial = inst.op == Opcode::Cmpp && is_partial(inst.action(i));
      if (inst.guard || partial) read(inst.results[i]);
    }
    for (Reg result : inst.results) {
      if (result) define(result);
    }
  }
}

// The same pairs by variable, without those of the entry block.
Variables::ByVariable Variables::turn(const ByBlock& lists) const {
  ByVariable result;
  result.start.resize(size() + 1);
  for (size_t i = lists.start[std::min<size_t>(1, lists.start.size() - 1)]; i < lists.variables.size(); ++i) {
    ++result.start[lists.variables[i].index() + 1];
  }
  for (uint32_t v = 0; v < size(); ++v) result.start[v + 1] += result.start[v];
  result.blocks.resize(result.start[size()]);
  std::vector<uint32_t> next(result.start.begin(), result.start.end() - 1);
  for (size_t n = 1; n < dominators_.preorder().size(); ++n) {
    BlockId b = dominators_.preorder()[n];
    for (Reg variable : of_block(lists, b)) result.blocks[next[variable.index()]++] = b;
  }
  return result;
}

}  // namespace psi::ssa
