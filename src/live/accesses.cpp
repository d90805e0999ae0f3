#include "live/accesses.h"

#include <utility>

#include "psi/analysis/uses.h"

namespace psi::live {
namespace {

bool is_partial_target(const Inst& inst, uint32_t target) {
  return inst.op == Opcode::Cmpp && is_partial(inst.action(static_cast<int>(target)));
}

// A compare none of whose targets is written where its input is false.
bool is_partial_compare(const Inst& inst) {
  if (inst.op != Opcode::Cmpp) return false;
  for (uint32_t i = 0; i < inst.num_results(); ++i) {
    if (!is_partial_target(inst, i)) return false;
  }
  return true;
}

}  // namespace

Accesses::Accesses(const Function& function, Predicates& predicates, BlockId block)
    : Accesses(function, predicates) {
  if (!is_ssa(function.form)) note_inputs(block);
}

// In plain form the predicates have a register's value at the end of the block, and after each definition.
void Accesses::note_inputs(BlockId block) {
  inputs_.emplace();
  std::unordered_map<Reg, Term> now;
  std::vector<std::pair<InstId, Operand>> from_outside;
  for (InstId id : function_.insts(block)) {
    const Inst& inst = function_.inst(id);
    Operand operand = is_partial_compare(inst) ? as_cmpp(function_, inst).input : Operand();
    if (operand.reads_reg()) {
      auto at = now.find(operand.reg());
      if (at != now.end()) {
        (*inputs_)[id] = operand.is_negated() ? !at->second : at->second;
      } else {
        from_outside.push_back({id, operand});
      }
    }
    if (inst.result_type() != Type::i1) continue;
    for (uint32_t i = 0; i < inst.num_results(); ++i) {
      now[inst.results[i]] = predicates_->value_of(id, static_cast<int>(i));
    }
  }
  // The value on entry has no name if the register changes.
  for (auto [id, operand] : from_outside) {
    if (!now.contains(operand.reg())) (*inputs_)[id] = predicates_->value(operand);
  }
}

Term Accesses::input(InstId id, Operand operand) {
  if (!predicates_ || !operand.reads_reg()) return Term::always();
  if (!inputs_) return predicates_->value(operand);
  auto at = inputs_->find(id);
  return at == inputs_->end() ? Term::always() : at->second;
}

void Accesses::look_at(InstId id) {
  const Inst& inst = function_.inst(id);
  bool ssa = is_ssa(function_.form);
  guard_ = predicates_ ? predicates_->guard(id) : Term::always();
  executes_at_least_ = !predicates_ && inst.guard ? Term::never() : guard_;
  reads_.clear();
  writes_.clear();
  if (inst.guard) reads_.push_back({inst.guard.reg(), Use::kGuard, Term::always()});
  Term makes = guard_;
  if (inst.is_psi()) {
    makes = read_psi(psi_arguments(function_, inst));
  } else if (inst.op == Opcode::Cmpp) {
    read_cmpp(id, inst);
  } else if (!inst.is_phi()) {
    std::span<const Operand> operands = function_.operands(inst);
    for (uint32_t i = 0; i < operands.size(); ++i) read(operands[i], i, guard_);
  }
  for (uint32_t i = 0; i < inst.num_results(); ++i) {
    Reg reg = inst.results[i];
    if (ssa) {
      // A partial target takes its old value from an operand, so it gets one wherever the compare executes.
      writes_.push_back({reg, i, makes, Term::always(), Term::always()});
    } else if (predicates_) {
      Term written = predicates_->written(id, static_cast<int>(i));
      writes_.push_back({reg, i, written, written, written});
    } else {
      bool partial = is_partial_target(inst, i);
      Term surely = inst.guard || partial ? Term::never() : Term::always();
      writes_.push_back({reg, i, Term::always(), surely, Term::always()});
      if (partial) reads_.push_back({reg, Read::kOldContents, Term::always()});
    }
  }
}

void Accesses::read(Operand operand, uint32_t index, Term where) {
  if (operand.reads_reg()) reads_.push_back({operand.reg(), index, where});
}

// The last argument whose guard is true is taken. Returns where there is one: elsewhere the psi gives
// nothing.
Term Accesses::read_psi(PsiArguments arguments) {
  Term left;
  for (size_t i = arguments.size(); i-- > 0;) {
    Term guard = predicates_ ? predicates_->value(arguments[i].guard) : Term::always();
    read(arguments[i].guard, first_operand(i), Term::always());
    read(arguments[i].value, value_operand(i), both(left, guard));
    left = both(left, !guard);
  }
  return predicates_ ? !left : Term::always();
}

void Accesses::read_cmpp(InstId id, const Inst& cmpp) {
  std::span<const Operand> operands = function_.operands(cmpp);
  Operand if_input = operands[kCmppInput];
  Term compares = is_partial_compare(cmpp) ? both(guard_, input(id, if_input)) : guard_;
  for (uint32_t i = 0; i < kCmppInput; ++i) read(operands[i], i, compares);
  read(if_input, kCmppInput, guard_);
  if (!cmpp.has_old_values()) return;
  for (int i = 0; i < 2; ++i) {
    if (!is_partial(cmpp.action(i))) continue;
    Term written = predicates_ ? predicates_->written(id, i) : Term::never();
    uint32_t old = old_value_operand(cmpp, i);
    read(operands[old], old, both(guard_, !written));
  }
}

}  // namespace psi::live
