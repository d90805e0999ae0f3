#include "select/legalise/rewriter.h"

#include <algorithm>
#include <array>
#include <utility>

namespace psi::select {

void Rewriter::begin(InstId id) {
  emitter_.begin(id);
  guard_ = id ? function_.inst(id).guard : Guard();
  group_start_ = out_.size();
}

void Rewriter::keep(InstId id) {
  std::span<const Operand> operands = std::as_const(function_).operands(id);
  scratch_.assign(operands.begin(), operands.end());
  keep(id, scratch_);
}

void Rewriter::keep(InstId id, std::span<const Operand> operands) {
  std::vector<Operand> resolved(operands.begin(), operands.end());
  for (Operand& operand : resolved) operand = resolve(operand);
  if (!std::ranges::equal(std::as_const(function_).operands(id), resolved)) {
    function_.set_operands(id, resolved);
  }
  out_.push_back(id);
}

void Rewriter::bind(Reg reg, Operand value) {
  bool is_predicate = function_.type(reg) == Type::i1;
  if (is_ssa() && (value.is_reg() || !is_predicate)) {
    if (value == Operand(reg)) return;
    if (alias_.size() <= reg.index()) alias_.resize(function_.num_regs());
    alias_[reg.index()] = value;
    if (value.is_reg() && is_new(value.reg()) && function_.name(value.reg()).empty()) {
      std::string name(function_.name(reg));
      function_.set_name(reg, "");
      function_.set_name(value.reg(), name);
    }
    return;
  }
  if (value == Operand(reg)) return;
  if (!is_ssa() && value.is_reg() && retarget(reg, value.reg())) return;
  move(reg, value, is_ssa() ? Guard() : guard_);
}

void Rewriter::reuse(const Dominators& dominators, const std::array<bool, kNumTypes>& held) {
  if (!is_ssa()) return;
  computed_.emplace(function_, dominators, held);
  emitter_.reuse(&*computed_);
}

void Rewriter::start_block(BlockId block) {
  if (computed_) computed_->start(block);
}

void Rewriter::note_computed(size_t first) {
  if (!computed_) return;
  for (size_t i = first; i < out_.size(); ++i) computed_->add(out_[i]);
}

void Rewriter::move(Reg to, Operand value, Guard guard) {
  Inst mov;
  mov.op = Opcode::Mov;
  mov.type = function_.type(to);
  mov.results[0] = to;
  Guard before = emitter_.guard();
  emitter_.guard(guard);
  emitter_.append(mov, std::array{value});
  emitter_.guard(before);
}

// Lets the instruction that computed `value` write the register itself, where nothing behind it needs what
// was there.
bool Rewriter::retarget(Reg reg, Reg value) {
  if (!is_new(value) || pending_ == Operand(value)) return false;
  size_t at = out_.size();
  for (size_t i = group_start_; i < out_.size(); ++i) {
    if (function_.inst(out_[i]).results[0] != value) continue;
    if (at != out_.size()) return false;
    at = i;
  }
  if (at == out_.size()) return false;
  Inst& inst = function_.inst(out_[at]);
  if (inst.results[1] || (inst.guard && inst.guard != guard_)) return false;
  if (guard_ && !inst.guard && !inst.is_pure()) return false;
  // A shape at the boundary, which loses its guard in the end.
  if (inst.guard && inst.is_pure()) return false;
  for (size_t i = at + 1; i < out_.size(); ++i) {
    const Inst& later = function_.inst(out_[i]);
    if (later.guard && (later.guard.reg() == reg || later.guard.reg() == value)) return false;
    if (later.results[0] == reg || later.results[1] == reg) return false;
    for (Operand operand : std::as_const(function_).operands(out_[i])) {
      if (!operand.reads_reg()) continue;
      // Where the guard is false the value is still needed.
      if (operand.reg() == reg || (guard_ && operand.reg() == value)) return false;
    }
  }
  for (size_t i = at + 1; i < out_.size(); ++i) {
    for (Operand& operand : function_.operands(out_[i])) {
      if (operand.reads_reg() && operand.reg() == value)
        operand = Operand::predicate(reg, operand.is_negated());
    }
  }
  inst.results[0] = reg;
  inst.guard = guard_;
  return true;
}

Operand Rewriter::resolve(Operand operand) const {
  while (operand.reads_reg() && operand.reg().index() < alias_.size()) {
    Operand other = alias_[operand.reg().index()];
    if (other.is_none()) break;
    operand = operand.is_negated() ? complement(other) : other;
  }
  return operand;
}

void Rewriter::resolve_all() {
  if (alias_.empty()) return;
  for (BlockId block : function_.layout()) {
    for (InstId id : function_.insts(block)) {
      for (Operand& operand : function_.operands(id)) operand = resolve(operand);
      Guard guard = function_.inst(id).guard;
      if (guard) function_.inst(id).guard = Guard(resolve(guard.as_operand()));
    }
  }
}

}  // namespace psi::select
