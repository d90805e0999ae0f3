#include "ssa/variables.h"

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
  sort_definitions();
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

void Variables::sort_definitions() {
  definition_start_.resize(size() + 1);
  auto for_each_definition = [&](auto visit) {
    for (size_t n = 1; n < dominators_.preorder().size(); ++n) {
      BlockId b = dominators_.preorder()[n];
      for (Reg variable : defined_in(b)) visit(variable, b);
    }
  };
  for_each_definition([&](Reg variable, BlockId) { ++definition_start_[variable.index() + 1]; });
  for (uint32_t v = 0; v < size(); ++v) definition_start_[v + 1] += definition_start_[v];
  definitions_.resize(definition_start_[size()]);
  std::vector<uint32_t> next(definition_start_.begin(), definition_start_.end() - 1);
  for_each_definition([&](Reg variable, BlockId b) { definitions_[next[variable.index()]++] = b; });
}

}  // namespace psi::ssa
