#include "optimise/value_numbering/gvn_values.h"

#include <utility>

#include "psi/ir/views.h"

namespace psi::optimise {

Operand GvnValues::look_up(Operand operand) {
  operand = substitution_(operand);
  // The representative of a register may have a representative in turn.
  for (int i = 0; i < 4 && operand.reads_reg() && operand.reg().index() < known_.size(); ++i) {
    Operand known = known_[operand.reg().index()];
    if (known.is_none()) break;
    if (!operand.is_negated()) {
      operand = known;
    } else if (known.is_literal()) {
      operand = complement(known);
    } else {
      break;
    }
  }
  return operand;
}

void GvnValues::learn(Reg r, Operand value) {
  if (r.index() >= known_.size()) return;
  learned_.push_back({r, known_[r.index()]});
  known_[r.index()] = value;
}

void GvnValues::find_arrivals(BlockId b) {
  for (InstId id : function_.terminators(b)) {
    const Inst& inst = function_.inst(id);
    auto add = [&](BlockId to, Operand literal) {
      Arrival& arrival = arrivals_[to.index()];
      bool is_only = arrival.from != b;
      arrival = {b, id, literal, is_only};
    };
    if (inst.op == Opcode::Switch) {
      SwitchView choice = as_switch(function_, inst);
      add(choice.otherwise, Operand());
      for (auto [literal, target] : choice.cases) add(target, literal);
    } else {
      function_.for_each_target(inst, [&](BlockId target) { add(target, Operand()); });
    }
  }
}

// A group of terminators: the ones before the taken one were not taken.
void GvnValues::take_edge(BlockId from, BlockId to) {
  constexpr size_t kMaxTerminators = 64;
  const Arrival& arrival = arrivals_[to.index()];
  std::span<const InstId> terminators = function_.terminators(from);
  if (arrival.from != from || !arrival.is_only || terminators.size() > kMaxTerminators) return;
  for (InstId id : terminators) {
    const Inst& inst = function_.inst(id);
    bool leads_there = id == arrival.terminator;
    if (inst.guard) assume(Operand::reg(inst.guard.reg()), leads_there != inst.guard.is_negated());
    if (!leads_there) continue;
    if (inst.is_branch()) {
      BranchView branch = as_branch(function_, inst);
      assume(branch.condition, branch.then == to);
    } else if (inst.op == Opcode::Switch && !arrival.value.is_none()) {
      assume_equal(as_switch(function_, inst).value, arrival.value);
    }
    return;
  }
}

void GvnValues::assume(Operand predicate, bool truth) {
  constexpr int kMaxFacts = 64;
  facts_.assign(1, {predicate, truth});
  for (int i = 0; i < kMaxFacts && !facts_.empty(); ++i) {
    Fact fact = facts_.back();
    facts_.pop_back();
    Operand value = here(fact.predicate);
    if (!value.reads_reg()) continue;
    if (value.is_negated()) fact.truth = !fact.truth;
    learn(value.reg(), Operand::truth(fact.truth));
    if (InstId definition = this->definition(value.reg())) look_into(definition, fact.truth);
  }
}

// The consequences for the operands of an instruction with a known result. It was defined, so they were, too,
// where they matter.
void GvnValues::look_into(InstId id, bool truth) {
  const Inst& inst = function_.inst(id);
  std::span<const Operand> operands = std::as_const(function_).operands(id);
  if (inst.op == Opcode::Not || inst.op == Opcode::Mov) {
    facts_.push_back({operands[0], inst.op == Opcode::Not ? !truth : truth});
  } else if (inst.type == Type::i1 && inst.op == (truth ? Opcode::And : Opcode::Or)) {
    facts_.push_back({operands[0], truth});
    facts_.push_back({operands[1], truth});
  } else if (inst.op == Opcode::Xor && operands[1].is_literal()) {
    facts_.push_back({operands[0], truth != (function_.literal_bits(operands[1]) != 0)});
  } else if (inst.op == Opcode::Cmp) {
    Cond cond = truth ? inst.cond() : negate(inst.cond());
    if (cond == Cond::eq && inst.type == Type::i1) {
      if (operands[1].is_literal()) facts_.push_back({operands[0], function_.literal_bits(operands[1]) != 0});
    } else if (cond == Cond::eq || cond == Cond::foeq) {
      assume_equal(operands[0], operands[1]);
    }
  }
}

void GvnValues::assume_equal(Operand a, Operand b) {
  a = here(a), b = here(b);
  if (!a.is_reg()) std::swap(a, b);
  if (!a.is_reg() || a == b) return;
  Type type = function_.type(a);
  if (b.is_literal()) {
    uint64_t bits = function_.literal_bits(b);
    // Both zeros are equal, and pointers to different objects may be.
    if (is_float(type) && bits << 1 << (64 - bit_width(type)) == 0) return;
    if (type == Type::ptr && bits != 0) return;
    learn(a.reg(), b);
  } else if (b.is_reg() && is_int(type)) {
    if (is_defined_before(a.reg(), b.reg())) std::swap(a, b);
    if (may_replace(a.reg(), b)) learn(a.reg(), b);
  }
}

// Both are defined on the way to one place.
bool GvnValues::is_defined_before(Reg a, Reg b) const {
  InstId first = definition(a), second = definition(b);
  if (!first || !second) return !first;
  if (block_of(a) != block_of(b)) return dominators_.dominates(block_of(a), block_of(b));
  if (a.index() >= known_.size() || b.index() >= known_.size()) return a.index() >= known_.size();
  return uses_.position(first) < uses_.position(second);
}

BlockId GvnValues::block_of(Reg r) const {
  if (r.index() >= known_.size()) return added_[r.index() - known_.size()].block;
  InstId id = uses_.definition(r);
  return id ? uses_.block(id) : function_.entry();
}

InstId GvnValues::definition(Reg r) const {
  return r.index() >= known_.size() ? added_[r.index() - known_.size()].inst : uses_.definition(r);
}

Reg GvnValues::add(BlockId b, InstId id, Type type) {
  Reg result = function_.add_reg(type);
  function_.inst(id).results[0] = result;
  added_.push_back({b, id});
  return result;
}

}  // namespace psi::optimise
