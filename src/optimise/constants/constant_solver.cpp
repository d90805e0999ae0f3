#include "optimise/constants/constant_solver.h"

#include "psi/analysis/cfg.h"
#include "psi/analysis/order.h"
#include "psi/analysis/uses.h"
#include "psi/ir/views.h"

namespace psi::optimise {

ConstantSolver::ConstantSolver(const Module& module, const Function& function, Analyses& analyses)
    : function_(function),
      analyses_(analyses),
      cfg_(analyses.get<Cfg>()),
      order_(analyses.get<Order>()),
      evaluation_(module),
      values_(function.num_regs()),
      is_executable_(function.num_blocks()),
      is_taken_(cfg_.num_edges()),
      is_seen_(function.num_insts()),
      is_queued_(function.num_insts()),
      reached_from_(function.num_blocks()) {
  for (Reg param : function.params) values_[param.index()] = Constant::varying();
}

void ConstantSolver::run() {
  is_executable_[function_.entry().index()] = 1;
  queue(function_.entry(), 0);
  settle();
  // A freeze that gets undef in the end chooses zero.
  for (size_t i = 0; i < freezes_.size(); ++i) {
    const Inst& freeze = function_.inst(freezes_[i]);
    Constant guard = value(freeze.guard.as_operand());
    if (guard.is_undef() || guard.is_number(0)) continue;
    if (values_[freeze.results[0].index()].is_undef()) fall(freeze.results[0], Constant::known(0));
    spread();
    settle();
  }
}

void ConstantSolver::settle() {
  while (!queue_.empty()) {
    uint64_t next = queue_.top();
    queue_.pop();
    if (uint32_t what = static_cast<uint32_t>(next)) {
      is_queued_[what - 1] = 0;
      visit_phi(order_.reverse_post_order()[next >> 32], InstId(what - 1));
      spread();
    } else {
      enter(order_.reverse_post_order()[next >> 32]);
    }
  }
}

Constant ConstantSolver::value(Operand operand) const {
  if (operand.is_literal()) return Constant::known(function_.literal_bits(operand));
  if (operand.is_symbol()) return Constant::address(operand.symbol(), 0);
  if (!operand.reads_reg()) return {};
  Constant value = values_[operand.reg().index()];
  if (operand.is_negated() && value.is_known()) value.bits ^= 1;
  return value;
}

void ConstantSolver::enter(BlockId b) {
  for (InstId id : function_.insts(b)) {
    const Inst& inst = function_.inst(id);
    if (inst.is_terminator()) break;
    is_seen_[id.index()] = 1;
    if (inst.is_phi()) {
      visit_phi(b, id);
    } else {
      visit(id);
    }
  }
  // Their readers are not visited yet, or read them by an edge that is not taken yet.
  fallen_.clear();
  for (InstId id : function_.terminators(b)) is_seen_[id.index()] = 1;
  visit_terminators(b);
}

void ConstantSolver::visit(InstId id) {
  const Inst& inst = function_.inst(id);
  if (!inst.results[0]) return;
  if (inst.guard) {
    Constant guard = value(inst.guard.as_operand());
    // Where it does not execute, its results are undefined.
    if (guard.is_undef() || guard.is_number(0)) return;
  }
  operands_.clear();
  for (Operand operand : function_.operands(id)) operands_.push_back(value(operand));
  if (inst.op == Opcode::Cmpp) {
    for (int target = 0; target < 2; ++target) {
      Reg result = inst.results[static_cast<size_t>(target)];
      if (result) fall(result, evaluation_.evaluate_target(inst, target, operands_));
    }
    return;
  }
  if (inst.op == Opcode::Freeze && operands_[0].is_undef()) freezes_.push_back(id);
  fall(inst.results[0], evaluation_.evaluate(inst, operands_));
}

void ConstantSolver::visit_phi(BlockId b, InstId id) {
  const Inst& phi = function_.inst(id);
  if (values_[phi.results[0].index()].is_varying()) return;
  ++phi_visits_;
  for (uint32_t i = 0; i < cfg_.predecessors(b).size(); ++i) {
    Edge edge = cfg_.incoming(b, i);
    if (is_executable(edge)) reached_from_[edge.from.index()] = phi_visits_;
  }
  Constant result;
  for (PhiEntry entry : phi_entries(function_, phi)) {
    if (result.is_varying()) break;
    if (reached_from_[entry.block.index()] == phi_visits_) result = meet(result, value(entry.value));
  }
  fall(phi.results[0], result);
}

void ConstantSolver::visit_terminators(BlockId b) {
  Edge next = {b, 0};
  for (InstId id : function_.terminators(b)) {
    if (!take_terminator(id, next)) return;
    function_.for_each_target(function_.inst(id), [&](BlockId) { ++next.index; });
  }
}

// Marks the edges that the terminator may take, the first of which is given. Returns whether control may
// continue past it.
bool ConstantSolver::take_terminator(InstId id, Edge first) {
  const Inst& inst = function_.inst(id);
  Constant guard = value(inst.guard.as_operand());
  if (guard.is_undef()) return false;
  if (guard.is_number(0)) return true;
  if (inst.is_jump()) take(first);
  if (inst.is_branch()) {
    Constant condition = value(as_branch(function_, inst).condition);
    if (condition.is_varying() || condition.is_number(1)) take(first);
    if (condition.is_varying() || condition.is_number(0)) take({first.from, first.index + 1});
  }
  if (inst.op == Opcode::Switch) {
    SwitchView choice = as_switch(function_, inst);
    Constant chosen = value(choice.value);
    bool found = false;
    for (uint32_t i = 0; i < choice.cases.size() && !chosen.is_undef() && !found; ++i) {
      bool is_case = chosen.is_number(function_.literal_bits(choice.cases[i].literal));
      if (is_case || chosen.is_varying()) take({first.from, first.index + 1 + i});
      found = is_case;
    }
    if (!chosen.is_undef() && !found) take(first);
  }
  return guard.is_varying();
}

void ConstantSolver::take(Edge edge) {
  uint8_t& is_taken = is_taken_[cfg_.number(edge)];
  if (is_taken) return;
  is_taken = 1;
  BlockId to = cfg_.target(edge);
  if (!is_executable(to)) {
    is_executable_[to.index()] = 1;
    queue(to, 0);
    return;
  }
  for (InstId id : function_.insts(to)) {
    if (!function_.inst(id).is_phi()) break;
    if (is_queued_[id.index()] || !is_seen_[id.index()]) continue;
    if (values_[function_.inst(id).results[0].index()].is_varying()) continue;
    is_queued_[id.index()] = 1;
    queue(to, uint64_t{id.index()} + 1);
  }
}

void ConstantSolver::fall(Reg r, Constant to) {
  Constant& value = values_[r.index()];
  to = meet(value, to);
  if (to == value) return;
  value = to;
  fallen_.push_back(r);
}

// Visits the readers of the values that fell.
void ConstantSolver::spread() {
  while (!fallen_.empty()) {
    Reg r = fallen_.back();
    fallen_.pop_back();
    for (Use use : analyses_.get<Uses>().uses(r)) {
      if (!is_seen_[use.inst.index()]) continue;
      const Inst& inst = function_.inst(use.inst);
      if (inst.is_phi()) {
        if (is_queued_[use.inst.index()]) continue;
        is_queued_[use.inst.index()] = 1;
        queue(analyses_.get<Uses>().block(use.inst), uint64_t{use.inst.index()} + 1);
      } else if (inst.is_terminator()) {
        visit_terminators(analyses_.get<Uses>().block(use.inst));
      } else {
        visit(use.inst);
      }
    }
  }
}

}  // namespace psi::optimise
