#include "live/flow_items.h"

#include <algorithm>
#include <unordered_map>

#include "psi/analysis/uses.h"
#include "support/hash.h"

namespace psi::live {
namespace {

// Does the instruction's value depend on its operands alone?
bool is_expression(const Function& function, const Inst& inst) {
  if (!inst.is_pure() || inst.is_phi()) return false;
  if (inst.op != Opcode::Cmpp || is_ssa(function.form)) return true;
  return !is_partial(inst.action(0)) && !is_partial(inst.action(1));
}

// What an expression is, the registers' values apart.
std::vector<uint32_t> key_of(const Function& function, const Inst& inst) {
  std::vector<uint32_t> key = {static_cast<uint32_t>(inst.op) << 24 | static_cast<uint32_t>(inst.type) << 16 |
                                   static_cast<uint32_t>(inst.kind) << 8 | inst.extra,
                               inst.flags & ~Inst::kStop};
  for (Operand operand : function.operands(inst)) key.push_back(operand.raw());
  if (is_commutative(inst.op) && key[3] < key[2]) std::swap(key[2], key[3]);
  return key;
}

struct KeyHash {
  size_t operator()(const std::vector<uint32_t>& key) const noexcept { return hash_of(key); }
};

}  // namespace

FlowItems::FlowItems(const Function& function, Analyses& analyses, FlowProblem problem)
    : function_(function), problem_(problem) {
  switch (problem) {
    case FlowProblem::Liveness:
      for (uint32_t i = 0; i < function.num_regs(); ++i) items_.push_back({Reg(i), InstId()});
      break;
    case FlowProblem::ReachingDefinitions:
      add_definitions(analyses.get<Uses>());
      break;
    case FlowProblem::UpwardExposedUses:
    case FlowProblem::DownwardExposedUses:
      add_uses(analyses.get<Uses>());
      break;
    case FlowProblem::AvailableExpressions:
      add_expressions();
      break;
  }
  list_by_register();
}

void FlowItems::add_definitions(const Uses& uses) {
  by_inst_.assign(2 * size_t{function_.num_insts()}, kNone);
  std::vector<uint32_t> param(function_.num_regs(), kNone);
  for (uint32_t i = 0; i < function_.params.size(); ++i) param[function_.params[i].index()] = i;
  for (uint32_t i = 0; i < function_.num_regs(); ++i) {
    if (param[i] != kNone) items_.push_back({Reg(i), InstId(), param[i]});
    for (InstId id : uses.definitions(Reg(i))) {
      uint32_t target = function_.inst(id).results[0] == Reg(i) ? 0 : 1;
      by_inst_[2 * id.index() + target] = size();
      items_.push_back({Reg(i), id, target});
    }
  }
}

void FlowItems::add_uses(const Uses& uses) {
  by_inst_.assign(function_.num_insts(), kNone);
  for (BlockId b : function_.layout()) {
    for (InstId id : function_.insts(b)) {
      by_inst_[id.index()] = static_cast<uint32_t>(by_operand_.size());
      by_operand_.resize(by_operand_.size() + 1 + function_.inst(id).count, kNone);
    }
  }
  for (uint32_t i = 0; i < function_.num_regs(); ++i) {
    for (Use use : uses.uses(Reg(i))) {
      uint32_t operand = use.is_guard() ? 0 : use.operand + 1;
      by_operand_[by_inst_[use.inst.index()] + operand] = size();
      items_.push_back({Reg(i), use.inst, use.operand});
    }
  }
}

void FlowItems::add_expressions() {
  by_inst_.assign(function_.num_insts(), kNone);
  std::unordered_map<std::vector<uint32_t>, uint32_t, KeyHash> known;
  for (BlockId b : function_.layout()) {
    for (InstId id : function_.insts(b)) {
      const Inst& inst = function_.inst(id);
      if (!is_expression(function_, inst)) continue;
      auto [at, is_new] = known.try_emplace(key_of(function_, inst), size());
      if (is_new) items_.push_back({Reg(), id});
      by_inst_[id.index()] = at->second;
    }
  }
}

void FlowItems::list_by_register() {
  about_start_.assign(function_.num_regs() + 1, 0);
  // An expression that reads a register twice is listed twice, which does no harm.
  auto for_each_reg = [&](const FlowItem& item, auto visit) {
    if (item.reg) return visit(item.reg);
    for (Operand operand : function_.operands(item.inst)) {
      if (operand.reads_reg()) visit(operand.reg());
    }
  };
  for (const FlowItem& item : items_) {
    for_each_reg(item, [&](Reg r) { ++about_start_[r.index() + 1]; });
  }
  for (uint32_t i = 0; i < function_.num_regs(); ++i) about_start_[i + 1] += about_start_[i];
  about_.resize(about_start_.back());
  std::vector<uint32_t> next(about_start_.begin(), about_start_.end() - 1);
  for (uint32_t i = 0; i < size(); ++i) {
    for_each_reg(items_[i], [&](Reg r) { about_[next[r.index()]++] = i; });
  }
}

bool FlowItems::is_about(uint32_t item, Reg r) const {
  if (items_[item].reg) return items_[item].reg == r;
  std::span<const Operand> operands = function_.operands(items_[item].inst);
  return std::ranges::any_of(operands, [&](Operand o) { return o.reads_reg() && o.reg() == r; });
}

uint32_t FlowItems::of_read(InstId id, uint32_t operand, Reg r) const {
  if (problem_ == FlowProblem::Liveness) return r.index();
  return by_operand_[by_inst_[id.index()] + (operand == Use::kGuard ? 0 : operand + 1)];
}

}  // namespace psi::live
