#include "dataflow/accesses.h"

#include <utility>

#include "psi/uses.h"

namespace psi::dataflow {
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

// In plain form the predicates tell what a register holds where the block ends, and what each definition
// leaves in it.
void Accesses::note_inputs(BlockId block) {
  inputs_.emplace();
  std::unordered_map<Reg, Term> now;
  std::vector<std::pair<InstId, Operand>> from_outside;
  for (InstId id : function_.insts(block)) {
    const Inst& inst = function_.inst(id);
    if (is_partial_compare(inst) && function_.operands(inst)[2].reads_reg()) {
      Operand operand = function_.operands(inst)[2];
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
  // What the block is entered with is not known by name if the register changes.
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
  if (inst.is_psi()) {
    read_psi(function_.operands(inst));
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
      writes_.push_back({reg, i, guard_, Term::always(), Term::always()});
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

// The last argument whose guard is true is taken.
void Accesses::read_psi(std::span<const Operand> pairs) {
  Term left;
  for (auto i = static_cast<uint32_t>(pairs.size()); i > 0; i -= 2) {
    Term guard = predicates_ ? predicates_->value(pairs[i - 2]) : Term::always();
    read(pairs[i - 2], i - 2, Term::always());
    read(pairs[i - 1], i - 1, both(left, guard));
    left = both(left, !guard);
  }
}

void Accesses::read_cmpp(InstId id, const Inst& cmpp) {
  std::span<const Operand> operands = function_.operands(cmpp);
  Term compares = is_partial_compare(cmpp) ? both(guard_, input(id, operands[2])) : guard_;
  read(operands[0], 0, compares);
  read(operands[1], 1, compares);
  read(operands[2], 2, guard_);
  uint32_t next_old = 3;
  for (uint32_t i = 0; i < cmpp.num_results() && next_old < operands.size(); ++i) {
    if (!is_partial_target(cmpp, i)) continue;
    Term written = predicates_ ? predicates_->written(id, static_cast<int>(i)) : Term::never();
    read(operands[next_old], next_old, both(guard_, !written));
    ++next_old;
  }
}

}  // namespace psi::dataflow
