#include "ssa/variables.h"

#include <algorithm>

#include "psi/analysis/dominators.h"

namespace psi::ssa {

Variables::Variables(const Function& function, const Dominators& dominators, Which which,
                     std::pmr::memory_resource& memory)
    : dominators_(dominators),
      defined_{std::pmr::vector<uint32_t>(&memory), std::pmr::vector<Reg>(&memory)},
      exposed_{std::pmr::vector<uint32_t>(&memory), std::pmr::vector<Reg>(&memory)},
      definitions_{std::pmr::vector<uint32_t>(&memory), std::pmr::vector<BlockId>(&memory)},
      exposures_{std::pmr::vector<uint32_t>(&memory), std::pmr::vector<BlockId>(&memory)},
      seen_(function.num_regs(), &memory),
      listed_(&memory),
      position_(function.num_regs(), kNotListed, &memory) {
  size_t num_blocks = dominators.preorder().size();
  defined_.start.reserve(num_blocks + 1);
  exposed_.start.reserve(num_blocks + 1);
  defined_.variables.reserve(function.num_regs());
  defined_.start.push_back(0);
  exposed_.start.push_back(0);
  for (BlockId b : dominators.preorder()) {
    scan_block(function, b);
    defined_.start.push_back(static_cast<uint32_t>(defined_.variables.size()));
    exposed_.start.push_back(static_cast<uint32_t>(exposed_.variables.size()));
  }
  list_variables(which);
  if (listed_.size() < size()) drop_unlisted_definitions();
  turn(defined_, definitions_);
  turn(exposed_, exposures_);
}

void Variables::scan_block(const Function& function, BlockId b) {
  auto read = [&](Reg variable) {
    Seen& seen = seen_[variable.index()];
    if (seen.defined == b || seen.exposed == b) return;
    seen.exposed = b;
    exposed_.variables.push_back(variable);
  };
  auto define = [&](Reg variable) {
    Seen& seen = seen_[variable.index()];
    if (seen.defined == b) return;
    seen.defined = b;
    defined_.variables.push_back(variable);
  };
  if (b == function.entry()) {
    for (Reg param : function.params) define(param);
  }
  for (InstId id : function.insts(b)) {
    const Inst& inst = function.inst(id);
    for (Operand operand : function.operands(inst)) {
      if (operand.reads_reg()) read(operand.reg());
    }
    if (inst.guard) read(inst.guard.reg());
    if (!inst.results[0] && !inst.results[1]) continue;
    if (inst.guard || inst.op == Opcode::Cmpp) {
      for (int i = 0; i < 2; ++i) {
        if (inst.results[i] && (inst.guard || is_partial(inst.action(i)))) read(inst.results[i]);
      }
    }
    for (Reg result : inst.results) {
      if (result) define(result);
    }
  }
}

void Variables::list_variables(Which which) {
  for (uint32_t i = 0; i < size(); ++i) {
    if (which == NonLocal && !is_nonlocal(Reg(i))) continue;
    position_[i] = static_cast<uint32_t>(listed_.size());
    listed_.push_back(Reg(i));
  }
}

void Variables::drop_unlisted_definitions() {
  uint32_t kept = 0, i = 0;
  for (size_t n = 0; n + 1 < defined_.start.size(); ++n) {
    defined_.start[n] = kept;
    for (uint32_t end = defined_.start[n + 1]; i < end; ++i) {
      Reg variable = defined_.variables[i];
      if (is_listed(variable)) defined_.variables[kept++] = variable;
    }
  }
  defined_.start.back() = kept;
  defined_.variables.resize(kept);
}

// The same pairs by variable, without those of the entry block.
void Variables::turn(const ByBlock& lists, ByVariable& result) const {
  std::pmr::vector<uint32_t>& start = result.start;
  // While filling, the start of entry i is at i + 1 and moves to the start of the next.
  start.resize(listed_.size() + 2);
  std::span<const Reg> variables = std::span(lists.variables).subspan(lists.start[lists.start.size() > 1]);
  for (Reg variable : variables) ++start[position_[variable.index()] + 2];
  for (size_t i = 0; i < listed_.size(); ++i) start[i + 2] += start[i + 1];
  result.blocks.resize(variables.size());
  for (size_t n = 1; n < dominators_.preorder().size(); ++n) {
    BlockId b = dominators_.preorder()[n];
    for (Reg variable : of_block(lists, b)) result.blocks[start[position_[variable.index()] + 1]++] = b;
  }
}

}  // namespace psi::ssa
