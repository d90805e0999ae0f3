#include "cfg/substitution.h"

#include <algorithm>
#include <array>
#include <utility>

#include "psi/analysis/order.h"
#include "psi/cfg/unreachable.h"
#include "psi/ir/views.h"

namespace psi::cfg {

Operand Substitution::resolved(Operand operand) {
  Reg first = operand.reg();
  Operand found = by_[first.index()];
  while (found.reads_reg() && replaces(found.reg())) found = by_[found.reg().index()];
  // Path compression.
  for (Reg r = first;;) {
    Operand next = by_[r.index()];
    by_[r.index()] = found;
    if (!next.reads_reg() || !replaces(next.reg())) break;
    r = next.reg();
  }
  return operand.is_negated() ? complement(found) : found;
}

Keeps Substitution::apply(Analyses& analyses, Counters& counters) {
  if (empty_) return Keeps::All;
  removed_ = 0;
  keeps_edges_ = true;
  find_called();
  // Definitions come before what reads them, phis aside, and nothing follows from what a phi reads.
  for (BlockId b : analyses.get<Order>().reverse_post_order()) propagate(b);
  for (BlockId b : function_.layout()) rewrite(b);
  for (BlockId b : function_.layout()) keeps_edges_ &= !terminators_.fold(b);
  terminators_.finish();
  analyses.drop(keeps_edges_ ? Keeps::ControlFlow : Keeps::Nothing);
  if (removed_) counters.add("instructions under false guards removed", removed_);
  if (keeps_edges_) return Keeps::ControlFlow;
  dce_unreachable(function_, analyses, counters);
  analyses.drop(Keeps::Nothing);
  return Keeps::Nothing;
}

// Finds the instructions that do nothing, and replaces their results.
void Substitution::propagate(BlockId b) {
  kept_.clear();
  for (InstId id : function_.insts(b)) {
    if (propagate(id) || keeps_callee(id)) kept_.push_back(id);
  }
  size_t removed = function_.insts(b).size() - kept_.size();
  if (removed == 0) return;
  removed_ += removed;
  size_t terminators = function_.terminators(b).size();
  targets_.clear();
  function_.for_each_successor(b, [&](BlockId target) { targets_.push_back(target); });
  function_.set_insts(b, kept_);
  if (function_.terminators(b).size() == terminators) return;
  terminators_.drop_edges(b, targets_);
  keeps_edges_ = false;
}

void Substitution::find_called() {
  is_called_.assign(function_.num_regs(), 0);
  for (BlockId b : function_.layout()) {
    for (InstId id : function_.insts(b)) {
      if (function_.inst(id).op != Opcode::Call) continue;
      Operand callee = as_call(function_, id).callee;
      if (callee.is_reg()) is_called_[callee.reg().index()] = 1;
    }
  }
}

// What is called through a register needs one.
bool Substitution::keeps_callee(InstId id) {
  Reg result = function_.inst(id).results[0];
  if (!result || !is_called_[result.index()]) return false;
  Operand by = (*this)(Operand::reg(result));
  if (by.is_reg()) return false;
  Inst copy;
  copy.op = Opcode::Mov;
  copy.type = function_.type(result);
  copy.results[0] = result;
  function_.inst(id) = copy;
  function_.set_operands(id, std::array{by});
  return true;
}

bool Substitution::propagate(InstId id) {
  const Inst& inst = function_.inst(id);
  if (inst.is_psi()) return !replaces(inst.results[0]) && propagate_psi(id);
  if (inst.guard) {
    Operand guard = (*this)(inst.guard.as_operand());
    // To read an undef guard is undefined behaviour.
    if (guard.is_undef() || guard == Operand::never()) {
      for (Reg result : inst.results) {
        if (result && !replaces(result)) set(result, Operand::undef(function_.type(result)));
      }
      return false;
    }
  }
  return inst.op != Opcode::Cmpp || propagate_cmpp(id);
}

bool Substitution::propagate_psi(InstId id) {
  PsiArguments old = psi_arguments(function_, id);
  bool changes = old.size() == 1 || std::ranges::any_of(old, [&](PsiArgument argument) {
                   return argument.guard.reads_reg() && replaces(argument.guard.reg());
                 });
  if (!changes) return true;
  operands_.clear();
  for (PsiArgument argument : old) {
    Operand guard = (*this)(argument.guard);
    if (guard.is_undef() || guard == Operand::never()) continue;
    if (guard.is_literal()) operands_.clear();
    add_psi_argument(operands_, guard, argument.value);
  }
  Reg result = function_.inst(id).results[0];
  PsiArguments left = psi_arguments(operands_);
  if (left.empty()) {
    set(result, Operand::undef(function_.type(result)));
    return false;
  }
  // Where the guard of the only argument is false, the psi is undef.
  if (left.size() == 1) {
    set(result, left.front().value);
    return false;
  }
  function_.set_operands(id, operands_);
  return true;
}

// With a false input each target keeps what it had, or becomes false.
bool Substitution::propagate_cmpp(InstId id) {
  const Inst& inst = function_.inst(id);
  std::span<const Operand> operands = std::as_const(function_).operands(id);
  Operand input = (*this)(as_cmpp(operands).input);
  if (!input.is_undef() && input != Operand::never()) return true;
  for (int target = 0; target < 2; ++target) {
    Reg result = inst.results[static_cast<size_t>(target)];
    if (result && !replaces(result)) set(result, target_without_input(inst, operands, target));
  }
  return false;
}

void Substitution::rewrite(BlockId b) {
  for (InstId id : function_.insts(b)) rewrite(id);
}

void Substitution::rewrite(InstId id) {
  Inst& inst = function_.inst(id);
  if (inst.guard) inst.guard = Guard((*this)(inst.guard.as_operand()));
  // The type of a called function is its own: a call through a register stays one.
  uint32_t first = inst.op == Opcode::Call ? kCallee + 1 : 0;
  std::span<Operand> operands = function_.operands(id);
  if (inst.op == Opcode::Call && operands[kCallee].is_reg()) {
    Operand callee = (*this)(operands[kCallee]);
    if (callee.is_reg()) operands[kCallee] = callee;
  }
  for (uint32_t i = first; i < operands.size(); ++i) {
    if (!operands[i].reads_reg()) continue;
    Operand by = (*this)(operands[i]);
    operands[i] = is_psi_guard(inst, i) && by.is_literal() ? Operand::always() : by;
  }
}

}  // namespace psi::cfg
