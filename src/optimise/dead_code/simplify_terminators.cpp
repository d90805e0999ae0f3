#include "optimise/dead_code/simplify_terminators.h"

#include <algorithm>
#include <array>
#include <utility>

#include "psi/ir/views.h"

namespace psi::optimise {

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
  changed |= drop_redundant_jumps(b);
  if (changed) {
    folding_.drop_edges(b, targets_);
    folding_.finish();
  }
  return cut_before_trap(b) || changed;
}

// --- Traps ------------------------------------------------------------------------------------------

// Does the block consist of `unreachable` only?
bool TerminatorSimplification::is_trap(BlockId block) const {
  for (InstId id : function_.insts(block)) {
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
    traps += is_trap(operand.block());
  }
  if (traps == 0 || (has_guards_ && traps < blocks)) return false;
  ++traps_avoided_;
  if (traps == blocks) {
    become_trap(id);
    return true;
  }
  if (inst.op == Opcode::Br) {
    BranchView branch = as_branch(operands);
    BlockId target = is_trap(branch.then) ? branch.otherwise : branch.then;
    function_.set_operands(id, std::array{Operand::block(target)});
    function_.set_edge_counts(id, {});
    return true;
  }
  std::span<const uint64_t> counts = std::as_const(function_).edge_counts(id);
  SwitchView choice = as_switch(operands);
  operands_.assign({choice.value, Operand::block(choice.otherwise)});
  counts_.clear();
  if (!counts.empty()) counts_.push_back(counts[0]);
  for (size_t i = 0; i < choice.cases.size(); ++i) {
    if (is_trap(choice.cases[i].target)) continue;
    add_switch_case(operands_, choice.cases[i]);
    if (!counts.empty()) counts_.push_back(counts[i + 1]);
  }
  if (is_trap(choice.otherwise)) {
    // What is no other case is the last one.
    operands_[kSwitchOtherwise] = operands_.back();
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

// Instructions that lead only to a trap are dead, except calls, which may not return.
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
bool TerminatorSimplification::drop_redundant_jumps(BlockId b) {
  InstId last = function_.insts(b).back();
  size_t group = function_.terminators(b).size();
  if (group == 1 || !function_.inst(last).is_jump()) return false;
  insts_.assign(function_.insts(b).begin(), function_.insts(b).end());
  size_t before = insts_.size();
  insts_.pop_back();
  for (; group > 1; --group) {
    const Inst& inst = function_.inst(insts_.back());
    if (!inst.is_jump() || jump_target(function_, inst) != jump_target(function_, last)) break;
    insts_.pop_back();
  }
  insts_.push_back(last);
  if (insts_.size() == before) return false;
  function_.set_edge_counts(last, {});
  function_.set_insts(b, insts_);
  ++branches_folded_;
  return true;
}

// Drops cases with the default's target; a single remaining case becomes a comparison.
bool TerminatorSimplification::reduce_switch(BlockId b, InstId id) {
  if (function_.inst(id).op != Opcode::Switch) return false;
  std::span<const Operand> operands = std::as_const(function_).operands(id);
  std::span<const uint64_t> counts = std::as_const(function_).edge_counts(id);
  SwitchView choice = as_switch(operands);
  operands_.assign({choice.value, Operand::block(choice.otherwise)});
  counts_.clear();
  if (!counts.empty()) counts_.push_back(counts[0]);
  for (size_t i = 0; i < choice.cases.size(); ++i) {
    if (choice.cases[i].target == choice.otherwise) {
      if (!counts.empty()) counts_[0] += counts[i + 1];
      continue;
    }
    add_switch_case(operands_, choice.cases[i]);
    if (!counts.empty()) counts_.push_back(counts[i + 1]);
  }
  SwitchView left = as_switch(operands_);
  bool is_branch = left.cases.size() == 1 && left.value.is_reg();
  if (operands_.size() == operands.size() && !is_branch) return false;
  ++switches_reduced_;
  if (is_branch) {
    Inst compare;
    compare.op = Opcode::Cmp;
    compare.type = function_.inst(id).type;
    compare.set_cond(Cond::eq);
    compare.results[0] = function_.add_reg(Type::i1);
    SwitchCase only = left.cases.front();
    InstId compared = function_.add_inst(compare, std::array{left.value, only.literal});
    function_.copy_place(id, compared);
    insts_.assign(function_.insts(b).begin(), function_.insts(b).end());
    insts_.insert(insts_.end() - static_cast<ptrdiff_t>(function_.terminators(b).size()), compared);
    function_.set_insts(b, insts_);
    Inst& inst = function_.inst(id);
    inst.op = Opcode::Br;
    inst.type = Type::none;
    operands_ = {Operand::reg(compare.results[0]), Operand::block(only.target),
                 Operand::block(left.otherwise)};
    if (!counts_.empty()) std::swap(counts_[0], counts_[1]);
  }
  function_.set_operands(id, operands_);
  function_.set_edge_counts(id, counts_);
  return true;
}

}  // namespace psi::optimise
