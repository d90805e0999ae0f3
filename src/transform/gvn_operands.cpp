// What instructions read, in terms of what stands for it where they are.
#include <algorithm>
#include <utility>

#include "transform/gvn_walk.h"

namespace psi::transform {

void GvnWalk::rewrite(Operand& operand) {
  if (!operand.reads_reg()) return;
  Operand by = values_.here(operand);
  if (by == operand) return;
  // Where it is replaced everywhere, that is what changes the function.
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
  bool keeps_callee = inst.op == Opcode::Call && !values_.here(operands[0]).is_reg();
  // What a branch says of a predicate is not seen in how it is computed. Whether it lies within a domain is
  // judged by that, so predicates that may guard something stay as they are.
  if (guards_.any() && info(inst.op).effect == Effect::Pure && inst.result_type() == Type::i1) {
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
  if (!operands[2].is_literal() || function_.literal_bits(operands[2]) != 0) return false;
  size_t old = 3;
  for (int target = 0; target < 2; ++target) {
    Reg result = inst.results[static_cast<size_t>(target)];
    if (!result) continue;
    bool keeps = is_partial(inst.action(target));
    values_.replace(result, keeps ? operands[old++] : function_.literal(Type::i1, uint64_t{0}));
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
  std::span<const Operand> pairs = std::as_const(function_).operands(id);
  pairs_.clear();
  for (size_t i = 0; i < pairs.size(); i += 2) {
    Operand guard = pairs[i] == Operand::always() ? pairs[i] : values_.here(pairs[i]);
    if (guard.is_undef()) guard = pairs[i];
    if (guard.is_literal() && guard != Operand::always()) {
      changed_ = true;
      if (function_.literal_bits(guard) == 0) continue;
      guard = Operand::always();
    }
    if (guard == Operand::always()) pairs_.clear();
    pairs_.insert(pairs_.end(), {guard, values_.here(pairs[i + 1])});
  }
  if (pairs_.empty()) pairs_.assign({Operand::always(), Operand::undef(function_.type(result))});
  if (!std::ranges::equal(pairs_, pairs)) {
    changed_ = true;
    function_.set_operands(id, pairs_);
  }
  for (size_t i = 3; i < pairs_.size(); i += 2) {
    if (pairs_[i] != pairs_[1]) return true;
  }
  if (!values_.may_replace(result, pairs_[1])) return true;
  replace(id, result, pairs_[1], replaced_);
  return false;
}

// What phis behind the block read from it.
void GvnWalk::tell_phis(BlockId b) {
  std::span<const BlockId> successors = analyses_.cfg().successors(b);
  if (successors.size() > 1 || function_.terminators(b).size() > 1) {
    values_.find_ways(b);
  } else if (values_.mark() == 0) {
    return;
  }
  for (BlockId to : successors) {
    if (function_.insts(to).empty() || !function_.inst(function_.insts(to)[0]).is_phi()) continue;
    size_t mark = values_.mark();
    values_.take_edge(b, to);
    if (values_.mark() > 0) tell_phis(b, to);
    values_.forget_to(mark);
  }
}

void GvnWalk::tell_phis(BlockId from, BlockId to) {
  constexpr size_t kMaxOperands = 64;
  size_t at = 0;  // the place of the pair, which is mostly the same in all of them
  for (InstId id : function_.insts(to)) {
    if (!function_.inst(id).is_phi() || function_.inst(id).count > kMaxOperands) break;
    // As for other predicates, see above.
    if (guards_.any() && function_.inst(id).type == Type::i1) continue;
    std::span<Operand> pairs = function_.operands(id);
    if (at >= pairs.size() || pairs[at].block() != from) {
      for (at = 0; at < pairs.size() && pairs[at].block() != from;) at += 2;
    }
    if (at >= pairs.size()) continue;
    Operand before = values_.everywhere(pairs[at + 1]);
    rewrite(pairs[at + 1]);
    finds_more_ |= pairs[at + 1] != before && values_.was_visited(to);
  }
}

}  // namespace psi::transform
