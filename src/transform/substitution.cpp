#include "transform/substitution.h"

#include <algorithm>
#include <array>
#include <utility>

#include "psi/transform.h"

namespace psi::transform {

Operand Substitution::complement(Operand operand) {
  if (operand.reads_reg()) return Operand::predicate(operand.reg(), !operand.is_negated());
  if (operand.is_undef()) return operand;
  return function_.literal(Type::i1, function_.literal_bits(operand) ^ 1);
}

Operand Substitution::resolved(Operand operand) {
  Reg first = operand.reg();
  Operand found = by_[first.index()];
  while (found.reads_reg() && replaces(found.reg())) found = by_[found.reg().index()];
  // Shorten the way for the next one.
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
  for (BlockId b : analyses.order().reverse_post_order()) propagate(b);
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
      Operand callee = std::as_const(function_).operands(id)[0];
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
    if (guard.is_undef() || (guard.is_literal() && function_.literal_bits(guard) == 0)) {
      for (Reg result : inst.results) {
        if (result && !replaces(result)) set(result, Operand::undef(function_.type(result)));
      }
      return false;
    }
  }
  return inst.op != Opcode::Cmpp || propagate_cmpp(id);
}

bool Substitution::propagate_psi(InstId id) {
  std::span<const Operand> pairs = std::as_const(function_).operands(id);
  bool changes = pairs.size() == 2;
  for (size_t i = 0; i < pairs.size() && !changes; i += 2) {
    changes = pairs[i].reads_reg() && replaces(pairs[i].reg());
  }
  if (!changes) return true;
  operands_.clear();
  for (size_t i = 0; i < pairs.size(); i += 2) {
    Operand guard = (*this)(pairs[i]);
    if (guard.is_undef()) continue;
    if (guard.is_literal()) {
      if (function_.literal_bits(guard) == 0) continue;
      operands_.clear();
      guard = Operand::always();
    }
    operands_.insert(operands_.end(), {guard, pairs[i + 1]});
  }
  Reg result = function_.inst(id).results[0];
  if (operands_.empty()) {
    set(result, Operand::undef(function_.type(result)));
    return false;
  }
  // Where the guard of the only argument is false, the psi is undef.
  if (operands_.size() == 2) {
    set(result, operands_[1]);
    return false;
  }
  function_.set_operands(id, operands_);
  return true;
}

// With a false input each target keeps what it had, or becomes false.
bool Substitution::propagate_cmpp(InstId id) {
  const Inst& inst = function_.inst(id);
  std::span<const Operand> operands = std::as_const(function_).operands(id);
  Operand input = (*this)(operands[2]);
  if (!input.is_undef() && !(input.is_literal() && function_.literal_bits(input) == 0)) return true;
  size_t old = 3;
  for (int target = 0; target < 2; ++target) {
    Reg result = inst.results[static_cast<size_t>(target)];
    if (!result) continue;
    Operand by = is_partial(inst.action(target)) ? operands[old++] : function_.literal(Type::i1, uint64_t{0});
    if (!replaces(result)) set(result, by);
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
  size_t first = inst.op == Opcode::Call ? 1 : 0;
  std::span<Operand> operands = function_.operands(id);
  if (first == 1 && operands[0].is_reg()) {
    Operand callee = (*this)(operands[0]);
    if (callee.is_reg()) function_.operands(id)[0] = callee;
  }
  for (size_t i = first; i < operands.size(); ++i) {
    if (!operands[i].reads_reg()) continue;
    Operand by = (*this)(operands[i]);
    operands[i] = inst.is_psi() && i % 2 == 0 && by.is_literal() ? Operand::always() : by;
  }
}

}  // namespace psi::transform
