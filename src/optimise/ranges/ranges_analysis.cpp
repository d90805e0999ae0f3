#include "optimise/ranges/ranges_analysis.h"

#include <algorithm>
#include <array>

#include "optimise/ranges/ranges_arithmetic.h"
#include "psi/analysis/cfg.h"
#include "psi/analysis/dominators.h"
#include "psi/analysis/order.h"
#include "psi/analysis/uses.h"
#include "psi/ir/views.h"

namespace psi::optimise {

ValueRanges::ValueRanges(const Function& function, Analyses& analyses)
    : function_(function),
      analyses_(analyses),
      uses_(analyses.get<Uses>()),
      dominators_(analyses.get<Dominators>()),
      ranges_(function.num_regs()) {
  for (Reg param : function.params) {
    if (is_int(function.type(param))) ranges_[param.index()] = Interval::full(function.type(param));
  }
  find_facts();
  ascend();
  ascending_ = false;
  descend();
}

// --- Conditions ---------------------------------------------------------------------------------------

// The consequences of the predicate's value, for the register itself and for its operands.
template <class Visit>
void ValueRanges::for_each_fact(Operand predicate, bool holds, Visit visit) const {
  struct Known {
    Operand predicate;
    bool holds;
  };
  std::array<Known, 8> stack = {Known{predicate, holds}};
  for (size_t size = 1; size > 0;) {
    Known known = stack[--size];
    if (!known.predicate.reads_reg()) continue;
    if (known.predicate.is_negated()) known = {Operand::reg(known.predicate.reg()), !known.holds};
    visit(Fact{known.predicate.reg(), {}, {}, true, known.holds, known.holds});
    InstId id = uses_.definition(known.predicate.reg());
    if (!id) continue;
    const Inst& inst = function_.inst(id);
    std::span<const Operand> operands = function_.operands(id);
    if (inst.op == Opcode::Cmp && is_int(inst.type)) {
      auto [left, right] = as_compared(operands);
      if (left.is_reg()) visit(Fact{left.reg(), {}, id, true, known.holds, 0});
      if (right.is_reg()) visit(Fact{right.reg(), {}, id, false, known.holds, 0});
    }
    if (inst.type == Type::i1 && inst.op == Opcode::Not) stack[size++] = {operands[0], !known.holds};
    if (inst.type == Type::i1 && inst.op == (known.holds ? Opcode::And : Opcode::Or) &&
        size + 2 <= stack.size()) {
      stack[size++] = {operands[0], known.holds};
      stack[size++] = {operands[1], known.holds};
    }
  }
}

void ValueRanges::find_facts() {
  for (BlockId b : analyses_.get<Order>().reverse_post_order()) add_branch_facts(b);
  sort_facts();
}

// Facts from the only edge to a block.
void ValueRanges::add_branch_facts(BlockId b) {
  if (analyses_.get<Cfg>().predecessors(b).size() != 1) return;
  auto add = [&](Fact fact) {
    fact.block = b;
    if (is_int(function_.type(fact.reg))) facts_.push_back(fact);
  };
  auto [from, taken] = analyses_.get<Cfg>().incoming(b, 0);
  std::span<const InstId> terminators = function_.terminators(from);
  for (InstId id : terminators.first(std::min(terminators.size(), kMaxTerminators))) {
    const Inst& inst = function_.inst(id);
    uint32_t targets = num_targets(inst);
    if (taken >= targets) {
      // Not taken, if another one was.
      taken -= targets;
      if (inst.guard) for_each_fact(inst.guard.as_operand(), false, add);
      continue;
    }
    if (inst.guard) for_each_fact(inst.guard.as_operand(), true, add);
    if (inst.is_branch()) {
      for_each_fact(as_branch(function_, inst).condition, taken == 0, add);
    } else if (inst.op == Opcode::Switch && taken > 0) {
      SwitchView choice = as_switch(function_, inst);
      uint64_t chosen = function_.literal_bits(choice.cases[taken - 1].literal);
      if (choice.value.is_reg()) add({choice.value.reg(), {}, {}, true, true, chosen});
    }
    return;
  }
}

void ValueRanges::sort_facts() {
  start_.assign(function_.num_regs() + 1, 0);
  for (const Fact& fact : facts_) ++start_[fact.reg.index() + 1];
  for (size_t r = 0; r < function_.num_regs(); ++r) start_[r + 1] += start_[r];
  std::vector<uint32_t> next(start_.begin(), start_.end() - 1);
  std::vector<Fact> sorted(facts_.size());
  for (const Fact& fact : facts_) sorted[next[fact.reg.index()]++] = fact;
  facts_ = std::move(sorted);
}

Interval ValueRanges::apply(const Fact& fact, Interval interval) const {
  Type type = function_.type(fact.reg);
  if (!fact.compare) return meet(interval, Interval::single(fact.value, type), type);
  const Inst& compare = function_.inst(fact.compare);
  Compared compared = as_compared(function_, compare);
  Operand other = fact.is_left ? compared.right : compared.left;
  // While intervals grow, an interval derived from another would have to grow with it.
  Interval limit = other.is_reg() && ascending_ ? Interval::full(type) : of(other);
  if (limit.is_empty()) return interval;
  Cond cond = fact.holds ? compare.cond() : negate(compare.cond());
  return constrain(interval, fact.is_left ? cond : swap_operands(cond), limit, type);
}

Interval ValueRanges::under(Operand operand, Interval interval, Operand predicate, bool holds) const {
  if (!operand.is_reg()) return interval;
  for_each_fact(predicate, holds, [&](const Fact& fact) {
    if (fact.reg == operand.reg()) interval = apply(fact, interval);
  });
  return interval;
}

// --- Intervals ----------------------------------------------------------------------------------------

Interval ValueRanges::of(Operand operand) const {
  if (operand.is_literal()) return Interval::single(function_.literal_bits(operand), operand.literal_type());
  return operand.is_reg() ? ranges_[operand.reg().index()] : Interval();
}

Interval ValueRanges::in_block(Operand operand, BlockId b) const {
  Interval interval = of(operand);
  if (!operand.is_reg()) return interval;
  uint32_t first = start_[operand.reg().index()], last = start_[operand.reg().index() + 1];
  first = std::max(first, last - std::min(last, kMaxFacts));
  for (uint32_t i = first; i < last && !interval.is_empty(); ++i) {
    if (dominators_.dominates(facts_[i].block, b)) interval = apply(facts_[i], interval);
  }
  return interval;
}

Interval ValueRanges::at(Operand operand, InstId reader) const {
  Interval interval = in_block(operand, uses_.block(reader));
  Guard guard = function_.inst(reader).guard;
  return guard ? under(operand, interval, guard.as_operand(), true) : interval;
}

Interval ValueRanges::on_edge(Operand operand, BlockId from, BlockId to) const {
  Interval interval = in_block(operand, from);
  if (!operand.is_reg()) return interval;
  std::span<const InstId> terminators = function_.terminators(from);
  if (terminators.size() != 1 || !function_.inst(terminators[0]).is_branch()) return interval;
  BranchView branch = as_branch(function_, terminators[0]);
  if (branch.then == branch.otherwise) return interval;
  return under(operand, interval, branch.condition, branch.then == to);
}

Interval ValueRanges::evaluate(InstId id) const {
  const Inst& inst = function_.inst(id);
  Type type = inst.result_type();
  std::span<const Operand> operands = function_.operands(id);
  Interval result;
  switch (inst.format()) {
    case Format::Phi:
      for (auto [from, value] : phi_entries(operands)) {
        result = join(result, on_edge(value, from, uses_.block(id)));
      }
      return result;
    case Format::Psi:
      for (auto [guard, value] : psi_arguments(operands)) {
        result = join(result, under(value, at(value, id), guard, true));
      }
      return result;
    case Format::Select: {
      SelectView select = as_select(operands);
      for (bool holds : {true, false}) {
        Operand value = select.chosen(holds);
        result = join(result, under(value, at(value, id), select.condition, holds));
      }
      return result;
    }
    case Format::Move: {
      Operand source = copied(function_, inst);
      return source.is_undef() ? Interval() : at(source, id);
    }
    case Format::Compare: {
      if (!is_int(inst.type)) return Interval::full(type);
      Compared compared = as_compared(operands);
      Interval a = at(compared.left, id), b = at(compared.right, id);
      if (a.is_empty() || b.is_empty()) return {};
      int decided = decide(a, inst.cond(), b);
      return decided < 0 ? Interval::full(type) : Interval::single(static_cast<uint64_t>(decided), type);
    }
    case Format::Binary:
    case Format::Unary:
    case Format::Convert: {
      bool from_int = is_int(inst.format() == Format::Convert ? inst.from() : inst.type);
      if (!from_int || inst.op == Opcode::Freeze) return Interval::full(type);
      Interval a = at(operands[0], id);
      Interval b = operands.size() == 2 ? at(operands[1], id) : a;
      // A bit may be decided by one operand alone.
      if (a.is_empty() || b.is_empty()) return type == Type::i1 ? Interval::full(type) : Interval();
      return evaluate_interval(inst, a, b);
    }
    default:
      return Interval::full(type);
  }
}

}  // namespace psi::optimise
