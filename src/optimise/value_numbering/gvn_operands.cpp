// Replaces the operands of instructions by their representatives.
#include <algorithm>
#include <utility>

#include "optimise/value_numbering/gvn_walk.h"
#include "psi/analysis/cfg.h"
#include "psi/ir/views.h"

namespace psi::optimise {

void GvnWalk::rewrite(Operand& operand) {
  if (!operand.reads_reg()) return;
  Operand by = values_.here(operand);
  if (by == operand) return;
  // A replacement that is not the global one changes the function.
  changed_ |= by != values_.everywhere(operand);
  operand = by;
}

// False if the instruction is never executed.
bool GvnWalk::rewrite_operands(InstId id) {
  Inst& inst = function_.inst(id);
  if (inst.guard) {
    Operand guard = values_.here(inst.guard.as_operand());
    if (guard.is_literal()) {
      bool is_true = function_.literal_bits(guard) != 0;
      if (!is_true && inst.is_terminator()) return true;
      changed_ = true;
      if (!is_true) {
        drop(id);
        return false;
      }
      inst.guard = Guard();
    } else if (guard.reads_reg()) {
      inst.guard = Guard(guard);
    }
  }
  std::span<Operand> operands = function_.operands(id);
  size_t mark = values_.mark();
  if (options_.guards && inst.guard && !inst.is_terminator()) {
    values_.assume(Operand::reg(inst.guard.reg()), !inst.guard.is_negated());
  }
  // A call through a register stays one.
  bool keeps_callee = inst.op == Opcode::Call && !values_.here(as_call(operands).callee).is_reg();
  // Facts from branches are not visible in the computation of a predicate, which decides containment in
  // domains. So predicates that may be guards are not rewritten.
  if (guards_.any() && inst.is_pure() && inst.result_type() == Type::i1) {
    for (Operand& operand : operands) operand = values_.everywhere(operand);
  } else {
    for (Operand& operand : operands.subspan(keeps_callee ? 1 : 0)) rewrite(operand);
  }
  values_.forget_to(mark);
  return inst.op != Opcode::Cmpp || !resolve_targets(id);
}

// With a false input each target of a cmpp keeps what it had, or becomes false.
bool GvnWalk::resolve_targets(InstId id) {
  const Inst& inst = function_.inst(id);
  std::span<const Operand> operands = std::as_const(function_).operands(id);
  if (as_cmpp(operands).input != Operand::never()) return false;
  for (int target = 0; target < 2; ++target) {
    Reg result = inst.results[static_cast<size_t>(target)];
    if (!result) continue;
    values_.replace(result, target_without_input(inst, operands, target));
    ++replaced_;
  }
  return true;
}

void GvnWalk::drop(InstId id) {
  is_dead_[id.index()] = 1;
  for (Reg result : function_.inst(id).results) {
    if (result) values_.replace(result, Operand::undef(function_.type(result)));
  }
  ++never_executed_;
}

// False if the psi is replaced.
bool GvnWalk::rewrite_psi(InstId id) {
  Reg result = function_.inst(id).results[0];
  std::span<const Operand> before = std::as_const(function_).operands(id);
  operands_.clear();
  for (auto [old, value] : psi_arguments(before)) {
    Operand guard = old == Operand::always() ? old : values_.here(old);
    if (guard.is_undef()) guard = old;
    if (guard.is_literal() && guard != Operand::always()) {
      changed_ = true;
      if (function_.literal_bits(guard) == 0) continue;
      guard = Operand::always();
    }
    if (guard == Operand::always()) operands_.clear();
    add_psi_argument(operands_, guard, values_.here(value));
  }
  if (operands_.empty()) {
    add_psi_argument(operands_, Operand::always(), Operand::undef(function_.type(result)));
  }
  if (!std::ranges::equal(operands_, before)) {
    changed_ = true;
    function_.set_operands(id, operands_);
  }
  PsiArguments arguments = psi_arguments(operands_);
  Operand value = arguments.front().value;
  for (PsiArgument argument : arguments) {
    if (argument.value != value) return true;
  }
  if (!values_.may_replace(result, value)) return true;
  replace(id, result, value, replaced_);
  return false;
}

// Rewrites the entries of successors' phis for this block.
void GvnWalk::rewrite_phi_entries(BlockId b) {
  std::span<const BlockId> successors = analyses_.get<Cfg>().successors(b);
  if (successors.size() > 1 || function_.terminators(b).size() > 1) {
    values_.find_arrivals(b);
  } else if (values_.mark() == 0) {
    return;
  }
  for (BlockId to : successors) {
    if (function_.insts(to).empty() || !function_.inst(function_.insts(to)[0]).is_phi()) continue;
    size_t mark = values_.mark();
    values_.take_edge(b, to);
    if (values_.mark() > 0) rewrite_phi_entries(b, to);
    values_.forget_to(mark);
  }
}

void GvnWalk::rewrite_phi_entries(BlockId from, BlockId to) {
  constexpr size_t kMaxEntries = 32;
  size_t at = 0;  // the number of the entry, which is mostly the same in all of them
  for (InstId id : function_.insts(to)) {
    if (!function_.inst(id).is_phi() || phi_entries(function_, id).size() > kMaxEntries) break;
    // As for other predicates, see above.
    if (guards_.any() && function_.inst(id).type == Type::i1) continue;
    MutablePhiEntries entries = mutable_phi_entries(function_, id);
    if (at >= entries.size() || entries[at].block() != from) {
      for (at = 0; at < entries.size() && entries[at].block() != from;) ++at;
    }
    if (at >= entries.size()) continue;
    Operand& value = entries[at].value;
    Operand before = values_.everywhere(value);
    rewrite(value);
    finds_more_ |= value != before && values_.was_visited(to);
  }
}

}  // namespace psi::optimise
