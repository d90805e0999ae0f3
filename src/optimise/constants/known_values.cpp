#include "optimise/constants/known_values.h"

#include <algorithm>

#include "psi/analysis/cfg.h"
#include "psi/ir/views.h"
#include "psi/predicate/terms.h"

namespace psi::optimise {
namespace {

// The most consequences of one predicate that are followed.
constexpr int kMaxSteps = 32;
// The most known comparisons that are considered.
constexpr size_t kMaxComparisons = 16;

}  // namespace

Operand KnownValues::found(Operand operand) const {
  if (!operand.reads_reg() || operand.reg().index() >= known_.size()) return {};
  return known_[operand.reg().index()];
}

Operand KnownValues::operator()(Operand operand) {
  if (empty() || !operand.reads_reg()) return operand;
  Operand known = found(operand);
  if (known.is_none()) {
    if (function_.type(operand.reg()) != Type::i1) return operand;
    std::optional<bool> bit = computed(operand.reg());
    if (!bit) return operand;
    known = function_.literal(Type::i1, uint64_t{*bit});
  }
  return operand.is_negated() ? complement(known) : known;
}

std::optional<bool> KnownValues::computed(Reg predicate) const {
  if (predicate.index() >= known_.size()) return std::nullopt;
  InstId definition = definitions_[predicate.index()];
  if (!definition) return std::nullopt;
  const Inst& inst = function_.inst(definition);
  std::span<const Operand> operands = std::as_const(function_).operands(definition);
  auto is = [&](Operand operand, bool value) {
    Operand known = found(operand);
    return !known.is_none() && (function_.literal_bits(known) != 0) == value;
  };
  switch (inst.op) {
    case Opcode::Not:
      if (is(operands[0], false) || is(operands[0], true)) return is(operands[0], false);
      return std::nullopt;
    case Opcode::And:
    case Opcode::Or: {
      bool decides = inst.op == Opcode::Or;
      if (is(operands[0], decides) || is(operands[1], decides)) return decides;
      if (is(operands[0], !decides) && is(operands[1], !decides)) return !decides;
      return std::nullopt;
    }
    case Opcode::Cmp:
      return compared(inst);
    default:
      return std::nullopt;
  }
}

std::optional<bool> KnownValues::compared(const Inst& inst) const {
  Compared here = as_compared(function_, inst);
  size_t looked = std::min(comparisons_.size(), kMaxComparisons);
  for (const Comparison& known : std::span(comparisons_).last(looked)) {
    if (known.type != inst.type) continue;
    Cond cond = inst.cond();
    if (known.left == here.right && known.right == here.left) {
      cond = swap_operands(cond);
    } else if (known.left != here.left || known.right != here.right) {
      continue;
    }
    uint8_t wanted = outcomes_of(cond);
    if ((known.outcomes & ~wanted) == 0) return true;
    if ((known.outcomes & wanted) == 0) return false;
  }
  return std::nullopt;
}

void KnownValues::note(const Inst& inst, bool value) {
  auto [left, right] = as_compared(function_, inst);
  uint8_t outcomes = outcomes_of(inst.cond());
  if (!value) outcomes = all_outcomes(inst.type) & ~outcomes;
  comparisons_.push_back({inst.type, left, right, outcomes, set_.size()});
}

bool KnownValues::set(Reg r, Operand literal) {
  if (r.index() >= known_.size() || !known_[r.index()].is_none()) return false;
  known_[r.index()] = literal;
  set_.push_back(r);
  return true;
}

void KnownValues::release(size_t mark) {
  for (; set_.size() > mark; set_.pop_back()) known_[set_.back().index()] = Operand();
  while (!comparisons_.empty() && comparisons_.back().since > mark) comparisons_.pop_back();
}

void KnownValues::assume(Operand predicate, bool value) {
  pending_.assign(1, {predicate, value});
  for (int step = 0; step < kMaxSteps && !pending_.empty(); ++step) {
    auto [operand, bit] = pending_.back();
    pending_.pop_back();
    if (!operand.reads_reg()) continue;
    bit ^= operand.is_negated();
    if (set(operand.reg(), Operand::truth(bit))) expand(operand.reg(), bit);
  }
}

// Two addresses may be equal and yet belong to different objects; null belongs to none.
void KnownValues::assume_equal(Operand reg, Operand literal) {
  if (!reg.is_reg() || !literal.is_literal() || is_float(function_.type(literal))) return;
  if (function_.type(literal) == Type::ptr && function_.literal_bits(literal) != 0) return;
  if (function_.type(literal) == Type::i1) {
    pending_.emplace_back(reg, function_.literal_bits(literal) != 0);
  } else {
    set(reg.reg(), literal);
  }
}

void KnownValues::expand(Reg predicate, bool value) {
  InstId definition = definitions_[predicate.index()];
  if (!definition) return;
  const Inst& inst = function_.inst(definition);
  if (inst.guard) pending_.emplace_back(inst.guard.as_operand(), true);
  std::span<const Operand> operands = std::as_const(function_).operands(definition);
  switch (inst.op) {
    case Opcode::Mov:
      pending_.emplace_back(operands[0], value);
      break;
    case Opcode::Not:
      pending_.emplace_back(operands[0], !value);
      break;
    case Opcode::And:
    case Opcode::Or:
      if (value != (inst.op == Opcode::And)) break;
      pending_.emplace_back(operands[0], value);
      pending_.emplace_back(operands[1], value);
      break;
    case Opcode::Cmp:
      expand_compare(inst, value);
      break;
    case Opcode::Cmpp:
      expand_target(inst, inst.results[0] == predicate ? 0 : 1, value);
      break;
    default:
      break;
  }
}

void KnownValues::expand_compare(const Inst& inst, bool value) {
  auto [left, right] = as_compared(function_, inst);
  note(inst, value);
  if (inst.cond() != Cond::eq && inst.cond() != Cond::ne) return;
  if (inst.type == Type::i1) {
    // Of two values, what is not the one is the other.
    bool equal = value == (inst.cond() == Cond::eq);
    if (right.is_literal()) pending_.emplace_back(left, (function_.literal_bits(right) != 0) == equal);
    if (left.is_literal()) pending_.emplace_back(right, (function_.literal_bits(left) != 0) == equal);
    return;
  }
  if (value != (inst.cond() == Cond::eq)) return;
  assume_equal(left, right);
  assume_equal(right, left);
}

void KnownValues::expand_target(const Inst& cmpp, int target, bool value) {
  Action action = cmpp.action(target);
  if (is_partial(action)) return;
  Operand input = as_cmpp(function_, cmpp).input;
  if (value) {
    pending_.emplace_back(input, true);
    // The other target is computed from the opposite.
    Reg other = cmpp.results[target == 0 ? 1 : 0];
    if (other && cmpp.action(1 - target) == (action == Action::un ? Action::uc : Action::un)) {
      pending_.emplace_back(Operand::reg(other), false);
    }
  } else if (input != Operand::always()) {
    return;
  }
  expand_compare(cmpp, value != is_complement(action));
}

void KnownValues::assume_taken(Edge edge) {
  uint32_t index = edge.index;
  for (InstId id : function_.terminators(edge.from)) {
    const Inst& inst = function_.inst(id);
    uint32_t targets = num_targets(inst);
    if (index >= targets) {
      index -= targets;
      if (inst.guard) assume(inst.guard.as_operand(), false);
      continue;
    }
    if (inst.guard) assume(inst.guard.as_operand(), true);
    if (inst.is_branch()) assume(decided_by(function_, inst), index == 0);
    if (inst.op == Opcode::Switch && index > 0) {
      pending_.clear();
      SwitchView choice = as_switch(function_, inst);
      assume_equal(choice.value, choice.cases[index - 1].literal);
      if (!pending_.empty()) assume(pending_[0].first, pending_[0].second);
    }
    return;
  }
}

}  // namespace psi::optimise
