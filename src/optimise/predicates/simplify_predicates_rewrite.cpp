#include "optimise/predicates/simplify_predicates_rewrite.h"

#include <array>
#include <utility>

#include "cfg/terminators.h"
#include "optimise/dead_definitions.h"
#include "psi/analysis/uses.h"
#include "psi/cfg/unreachable.h"
#include "psi/ir/views.h"

namespace psi::optimise {

void PredicateRewriting::run(const PredicateValues& values, uint64_t implied) {
  implied_ = implied;
  for (const Known& known : known_) use_known(known);
  for (uint32_t r = 0; r < function_.num_regs(); ++r) {
    if (values.is_replaced(Reg(r))) replace(Reg(r), values.value(Operand::reg(Reg(r))));
  }
  // Last: pairs change their places.
  for (size_t first = 0; first < known_.size();) {
    size_t last = first + 1;
    while (last < known_.size() && known_[last].use.inst == known_[first].use.inst) ++last;
    if (function_.inst(known_[first].use.inst).is_psi()) rewrite_psi(first, last);
    first = last;
  }
  if (changed_) finish();
}

// --- Known reads ----------------------------------------------------------------------------------------

void PredicateRewriting::use_known(const Known& known) {
  InstId id = known.use.inst;
  Inst& inst = function_.inst(id);
  if (inst.is_psi()) return;
  // Two targets that keep what they had are two copies: no gain.
  bool keeps_both =
      inst.op == Opcode::Cmpp && inst.results[1] && is_partial(inst.action(0)) && is_partial(inst.action(1));
  if (keeps_both && !known.use.is_guard() && !known.value) return;
  changed_ = true;
  changes_branches_ |= inst.is_terminator();
  if (known.use.is_guard()) {
    if (!known.value) return remove_unexecuted(id);
    note(id, "guard is always true here");
    inst.guard = Guard();
    ++guards_dropped_;
    return;
  }
  ++implied_;
  note(id, "reads a predicate that is known here");
  if (inst.op == Opcode::Select) {
    make_mov(id, as_select(function_, inst).chosen(known.value));
  } else if (inst.op == Opcode::Cmpp && !known.value) {
    keep_old(id);
  } else {
    function_.operands(id)[known.use.operand] = Operand::truth(known.value);
  }
}

// A copy, so that the domain of the result stays as it is.
void PredicateRewriting::make_mov(InstId id, Operand value) {
  Inst& inst = function_.inst(id);
  inst.op = Opcode::Mov;
  inst.type = function_.type(inst.results[0]);
  inst.kind = inst.extra = 0;
  function_.set_operands(id, std::array{value});
}

void PredicateRewriting::remove_unexecuted(InstId id) {
  note(id, "never executed: its guard is always false here");
  if (is_gone_.empty()) is_gone_.resize(function_.num_insts());
  is_gone_[id.index()] = true;
  ++guards_dropped_;
  for (Reg result : function_.inst(id).results) {
    if (result) substitution_.set(result, Operand::undef(function_.type(result)));
  }
}

// With a false input a target keeps what it had, or becomes false.
void PredicateRewriting::keep_old(InstId id) {
  const Inst& inst = function_.inst(id);
  if (!inst.results[1]) {
    return make_mov(id, target_without_input(inst, std::as_const(function_).operands(id), 0));
  }
  for (int target = 0; target < 2; ++target) {
    if (is_partial(inst.action(target))) continue;
    substitution_.set(inst.results[static_cast<size_t>(target)], Operand::never());
    replaced_.push_back(inst.results[static_cast<size_t>(target)]);
  }
}

// Arguments whose guards are false go, and what stands before one that is true.
void PredicateRewriting::rewrite_psi(size_t first, size_t last) {
  InstId id = known_[first].use.inst;
  Reg result = function_.inst(id).results[0];
  if (substitution_.replaces(result)) return;
  std::vector<Operand> kept;
  PsiArguments arguments = psi_arguments(function_, id);
  for (size_t i = 0; i < arguments.size(); ++i) {
    auto [guard, value] = arguments[i];
    if (first < last && known_[first].use.operand == first_operand(i)) {
      if (!known_[first++].value) continue;
      kept.clear();
      guard = Operand::always();
    }
    add_psi_argument(kept, guard, value);
  }
  changed_ = true;
  ++implied_;
  note(id, "has arguments that are known to be taken, or not to be");
  PsiArguments left = psi_arguments(kept);
  if (left.size() > 1) return function_.set_operands(id, kept);
  make_mov(id, left.empty() ? Operand::undef(function_.type(result)) : left.front().value);
}

// --- Equal predicates and complements -------------------------------------------------------------------

void PredicateRewriting::replace(Reg r, Operand value) {
  if (value.is_negated()) return use_complement(r, value);
  if (substitution_.replaces(r)) return;
  changed_ = true;
  InstId id = analyses_.get<Uses>().definition(r);
  note(id, value.is_reg() ? "is the same as another predicate" : "is always the same where it is defined");
  substitution_.set(r, value);
  replaced_.push_back(r);
}

void PredicateRewriting::use_complement(Reg r, Operand value) {
  size_t flipped = 0;
  std::span<const Use> reads = analyses_.get<Uses>().uses(r);
  for (Use use : reads) flipped += flip(use, value);
  complements_ += flipped;
  changed_ |= flipped > 0;
  InstId id = analyses_.get<Uses>().definition(r);
  if (flipped > 0) note(id, "is the complement of another predicate, which is read instead");
  if (flipped == reads.size()) return replaced_.push_back(r);
  // Other readers want it in a register.
  Inst& inst = function_.inst(id);
  if (inst.op != Opcode::Cmp) return;
  inst.op = Opcode::Not;
  inst.type = Type::i1;
  inst.kind = 0;
  for (Operand operand : std::as_const(function_).operands(id)) {
    if (operand.is_reg()) replaced_.push_back(operand.reg());
  }
  function_.set_operands(id, std::array{Operand::reg(value.reg())});
  changed_ = true;
}

// Reads the register of `value` instead, if complements can be read there. False if not.
bool PredicateRewriting::flip(Use use, Operand value) {
  Inst& inst = function_.inst(use.inst);
  if (use.is_guard()) {
    if (inst.guard) inst.guard = Guard(value.reg(), !inst.guard.is_negated());
    return true;
  }
  std::span<Operand> operands = function_.operands(use.inst);
  Operand& operand = operands[use.operand];
  bool is_predicate =
      is_psi_guard(inst, use.operand) || (inst.op == Opcode::Cmpp && use.operand == kCmppInput);
  bool is_choice = (inst.op == Opcode::Br || inst.op == Opcode::Select) && use.operand == kCondition;
  if (!is_predicate && !is_choice) return false;
  if (!operand.reads_reg()) return true;  // known by now
  if (is_predicate) {
    operand = Operand::predicate(value.reg(), !operand.is_negated());
    return true;
  }
  operand = Operand::reg(value.reg());
  swap_sides(operands);
  if (std::span<const uint64_t> counts = function_.edge_counts(use.inst); counts.size() == 2) {
    function_.set_edge_counts(use.inst, std::array{counts[1], counts[0]});
  }
  return true;
}

// --- Consequences ---------------------------------------------------------------------------------------

void PredicateRewriting::finish() {
  if (!is_gone_.empty()) sweep();
  // Analyses that depend on the order of blocks are still valid: edges are removed only below.
  Keeps keeps = substitution_.apply(analyses_, counters_);
  if (changes_branches_ && keeps != Keeps::Nothing) {
    cfg::TerminatorFolding terminators(function_);
    for (BlockId b : function_.layout()) terminators.fold(b);
    terminators.finish();
    analyses_.drop(Keeps::Nothing);
    dce_unreachable(function_, analyses_, counters_);
    analyses_.drop(Keeps::Nothing);
  }
  analyses_.drop(Keeps::ControlFlow);
  uint64_t removed = remove_dead_definitions(function_, analyses_, std::move(replaced_));
  if (removed) counters_.add("compares removed", removed);
  if (complements_) counters_.add("complements used", complements_);
  if (guards_dropped_) counters_.add("guards dropped", guards_dropped_);
  if (implied_) counters_.add("predicates implied", implied_);
}

// Removes instructions that are never executed, and the edges of removed terminators.
void PredicateRewriting::sweep() {
  cfg::TerminatorFolding terminators(function_);
  std::vector<InstId> kept;
  std::vector<BlockId> targets;
  for (BlockId b : function_.layout()) {
    kept.clear();
    for (InstId id : function_.insts(b)) {
      if (!is_gone_[id.index()]) kept.push_back(id);
    }
    if (kept.size() == function_.insts(b).size()) continue;
    targets.clear();
    function_.for_each_successor(b, [&](BlockId target) { targets.push_back(target); });
    function_.set_insts(b, kept);
    terminators.drop_edges(b, targets);
  }
  terminators.finish();
}

}  // namespace psi::optimise
