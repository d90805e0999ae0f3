#include "transform/simplify_terminators.h"

#include <algorithm>
#include <array>
#include <utility>

namespace psi::transform {

bool TerminatorSimplification::simplify(BlockId b) {
  targets_.clear();
  function_.for_each_successor(b, [&](BlockId target) { targets_.push_back(target); });
  bool changed = avoid_traps(b);
  // What a switch is reduced to stands before the terminators, so these are counted from the end.
  for (size_t left = function_.terminators(b).size(); left > 0; --left) {
    changed |= reduce_switch(b, function_.insts(b).end()[-static_cast<ptrdiff_t>(left)]);
  }
  if (folding_.fold(b)) {
    ++branches_folded_;
    changed = true;
  }
  changed |= drop_what_comes_to_the_same(b);
  if (changed) {
    folding_.drop_edges(b, targets_);
    folding_.finish();
  }
  return cut_before_trap(b) || changed;
}

// --- Traps ------------------------------------------------------------------------------------------

// Does nothing happen in the block but that it cannot be executed?
bool TerminatorSimplification::is_trap(Operand block) const {
  for (InstId id : function_.insts(block.block())) {
    const Inst& inst = function_.inst(id);
    if (!inst.is_phi()) return inst.op == Opcode::Unreachable && inst.guard.is_always();
  }
  return false;
}

void TerminatorSimplification::become_trap(InstId id) {
  Guard guard = function_.inst(id).guard;
  function_.inst(id) = Inst();
  function_.inst(id).guard = guard;
  function_.set_edge_counts(id, {});
}

// A terminator that could lead to a trap does not, where no guard can depend on its condition.
bool TerminatorSimplification::avoid_traps_in(InstId id) {
  const Inst& inst = function_.inst(id);
  std::span<const Operand> operands = std::as_const(function_).operands(id);
  size_t traps = 0, blocks = 0;
  for (Operand operand : operands) {
    if (!operand.is_block()) continue;
    ++blocks;
    traps += is_trap(operand);
  }
  if (traps == 0 || (has_guards_ && traps < blocks)) return false;
  ++traps_avoided_;
  if (traps == blocks) {
    become_trap(id);
    return true;
  }
  if (inst.op == Opcode::Br) {
    Operand target = is_trap(operands[1]) ? operands[2] : operands[1];
    function_.set_operands(id, std::array{target});
    function_.set_edge_counts(id, {});
    return true;
  }
  std::span<const uint64_t> counts = std::as_const(function_).edge_counts(id);
  operands_.assign({operands[0], operands[1]});
  counts_.clear();
  if (!counts.empty()) counts_.push_back(counts[0]);
  for (size_t i = 2; i < operands.size(); i += 2) {
    if (is_trap(operands[i + 1])) continue;
    operands_.insert(operands_.end(), {operands[i], operands[i + 1]});
    if (!counts.empty()) counts_.push_back(counts[i / 2]);
  }
  if (is_trap(operands_[1])) {
    // What is no other case is the last one.
    operands_[1] = operands_.back();
    operands_.resize(operands_.size() - 2);
    if (!counts_.empty()) {
      counts_[0] = counts_.back();
      counts_.pop_back();
    }
  }
  function_.set_operands(id, operands_);
  function_.set_edge_counts(id, counts_);
  return true;
}

bool TerminatorSimplification::avoid_traps(BlockId b) {
  bool changed = false;
  bool traps = false;
  for (InstId id : function_.terminators(b)) {
    changed |= avoid_traps_in(id);
    traps |= function_.inst(id).op == Opcode::Unreachable;
  }
  if (!traps) return changed;
  // A guarded trap is not reached, so its guard is false; what stands before a trap leaves the block.
  insts_.assign(function_.insts(b).begin(), function_.insts(b).end());
  size_t first = insts_.size() - function_.terminators(b).size();
  size_t before = insts_.size();
  auto is_guarded_trap = [&](InstId id) {
    return function_.inst(id).op == Opcode::Unreachable && function_.inst(id).guard;
  };
  insts_.erase(std::remove_if(insts_.begin() + static_cast<ptrdiff_t>(first), insts_.end(), is_guarded_trap),
               insts_.end());
  while (insts_.size() > first + 1 && function_.inst(insts_.back()).op == Opcode::Unreachable) {
    insts_.pop_back();
    function_.inst(insts_.back()).guard = Guard();
  }
  if (insts_.size() == before) return changed;
  function_.set_insts(b, insts_);
  ++traps_avoided_;
  return true;
}

// What must come to a trap need not be done, calls aside, which may not return.
bool TerminatorSimplification::cut_before_trap(BlockId b) {
  std::span<const InstId> insts = function_.insts(b);
  if (function_.inst(insts.back()).op != Opcode::Unreachable || function_.terminators(b).size() > 1)
    return false;
  size_t kept = insts.size() - 1;
  while (kept > 0) {
    const Inst& inst = function_.inst(insts[kept - 1]);
    if (inst.is_phi() || inst.op == Opcode::Call || inst.has_flag(Inst::kVolatile)) break;
    --kept;
  }
  if (kept + 1 == insts.size()) return false;
  InstId last = insts.back();
  insts_.assign(insts.begin(), insts.begin() + static_cast<ptrdiff_t>(kept));
  insts_.push_back(last);
  function_.set_insts(b, insts_);
  return true;
}

// --- Branches ---------------------------------------------------------------------------------------

// `%p ? br @a; br @a`
bool TerminatorSimplification::drop_what_comes_to_the_same(BlockId b) {
  InstId last = function_.insts(b).back();
  size_t group = function_.terminators(b).size();
  if (group == 1 || function_.inst(last).op != Opcode::Br || function_.inst(last).count != 1) return false;
  insts_.assign(function_.insts(b).begin(), function_.insts(b).end());
  size_t before = insts_.size();
  insts_.pop_back();
  for (; group > 1; --group) {
    const Inst& inst = function_.inst(insts_.back());
    if (inst.op != Opcode::Br || inst.count != 1 ||
        std::as_const(function_).operands(insts_.back())[0] != std::as_const(function_).operands(last)[0]) {
      break;
    }
    insts_.pop_back();
  }
  insts_.push_back(last);
  if (insts_.size() == before) return false;
  function_.set_edge_counts(last, {});
  function_.set_insts(b, insts_);
  ++branches_folded_;
  return true;
}

// Drops the cases that go where the others go; one that is left becomes a comparison.
bool TerminatorSimplification::reduce_switch(BlockId b, InstId id) {
  if (function_.inst(id).op != Opcode::Switch) return false;
  std::span<const Operand> operands = std::as_const(function_).operands(id);
  std::span<const uint64_t> counts = std::as_const(function_).edge_counts(id);
  operands_.assign({operands[0], operands[1]});
  counts_.clear();
  if (!counts.empty()) counts_.push_back(counts[0]);
  for (size_t i = 2; i < operands.size(); i += 2) {
    if (operands[i + 1] == operands[1]) {
      if (!counts.empty()) counts_[0] += counts[i / 2];
      continue;
    }
    operands_.insert(operands_.end(), {operands[i], operands[i + 1]});
    if (!counts.empty()) counts_.push_back(counts[i / 2]);
  }
  bool is_branch = operands_.size() == 4 && operands_[0].is_reg();
  if (operands_.size() == operands.size() && !is_branch) return false;
  ++switches_reduced_;
  if (is_branch) {
    Inst compare;
    compare.op = Opcode::Cmp;
    compare.type = function_.inst(id).type;
    compare.set_cond(Cond::eq);
    compare.results[0] = function_.add_reg(Type::i1);
    InstId compared = function_.add_inst(compare, std::array{operands_[0], operands_[2]});
    function_.set_line(compared, function_.line(id));
    insts_.assign(function_.insts(b).begin(), function_.insts(b).end());
    insts_.insert(insts_.end() - static_cast<ptrdiff_t>(function_.terminators(b).size()), compared);
    function_.set_insts(b, insts_);
    Inst& inst = function_.inst(id);
    inst.op = Opcode::Br;
    inst.type = Type::none;
    operands_ = {Operand::reg(compare.results[0]), operands_[3], operands_[1]};
    if (!counts_.empty()) std::swap(counts_[0], counts_[1]);
  }
  function_.set_operands(id, operands_);
  function_.set_edge_counts(id, counts_);
  return true;
}

}  // namespace psi::transform
