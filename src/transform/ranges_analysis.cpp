#include "transform/ranges_analysis.h"

#include <algorithm>
#include <array>

#include "transform/ranges_arithmetic.h"

namespace psi::transform {

ValueRanges::ValueRanges(const Function& function, Analyses& analyses)
    : function_(function),
      analyses_(analyses),
      uses_(analyses.uses()),
      dominators_(analyses.dominators()),
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

// What follows if the predicate holds, or does not: of the register itself, and of what it is computed from.
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
      if (operands[0].is_reg()) visit(Fact{operands[0].reg(), {}, id, true, known.holds, 0});
      if (operands[1].is_reg()) visit(Fact{operands[1].reg(), {}, id, false, known.holds, 0});
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
  for (BlockId b : analyses_.order().reverse_post_order()) add_branch_facts(b);
  sort_facts();
}

// What the only way to a block says.
void ValueRanges::add_branch_facts(BlockId b) {
  if (analyses_.cfg().predecessors(b).size() != 1) return;
  auto add = [&](Fact fact) {
    fact.block = b;
    if (is_int(function_.type(fact.reg))) facts_.push_back(fact);
  };
  auto [from, taken] = analyses_.cfg().incoming(b, 0);
  std::span<const InstId> terminators = function_.terminators(from);
  for (InstId id : terminators.first(std::min(terminators.size(), kMaxTerminators))) {
    const Inst& inst = function_.inst(id);
    std::span<const Operand> operands = function_.operands(id);
    bool is_switch = inst.op == Opcode::Switch;
    uint32_t targets = inst.op == Opcode::Br ? (inst.count + 1) / 2 : is_switch ? inst.count / 2 : 0;
    if (taken >= targets) {
      // Not taken, if another one was.
      taken -= targets;
      if (inst.guard) for_each_fact(inst.guard.as_operand(), false, add);
      continue;
    }
    if (inst.guard) for_each_fact(inst.guard.as_operand(), true, add);
    if (inst.op == Opcode::Br && targets == 2) {
      for_each_fact(operands[0], taken == 0, add);
    } else if (is_switch && operands[0].is_reg() && taken > 0) {
      add({operands[0].reg(), {}, {}, true, true, function_.literal_bits(operands[2 * taken])});
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
  Operand other = function_.operands(fact.compare)[fact.is_left ? 1 : 0];
  // While intervals grow, what was derived from another one would have to grow with it.
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
  if (terminators.size() != 1 || function_.inst(terminators[0]).op != Opcode::Br) return interval;
  std::span<const Operand> operands = function_.operands(terminators[0]);
  if (operands.size() != 3 || operands[1] == operands[2]) return interval;
  return under(operand, interval, operands[0], operands[1].block() == to);
}

Interval ValueRanges::evaluate(InstId id) const {
  const Inst& inst = function_.inst(id);
  Type type = inst.result_type();
  std::span<const Operand> operands = function_.operands(id);
  Interval result;
  switch (inst.format()) {
    case Format::Phi:
      for (size_t i = 0; i < operands.size(); i += 2) {
        result = join(result, on_edge(operands[i + 1], operands[i].block(), uses_.block(id)));
      }
      return result;
    case Format::Psi:
      for (size_t i = 0; i < operands.size(); i += 2) {
        result = join(result, under(operands[i + 1], at(operands[i + 1], id), operands[i], true));
      }
      return result;
    case Format::Select:
      for (size_t i = 1; i < 3; ++i) {
        result = join(result, under(operands[i], at(operands[i], id), operands[0], i == 1));
      }
      return result;
    case Format::Move:
      return operands[0].is_undef() ? Interval() : at(operands[0], id);
    case Format::Compare: {
      if (!is_int(inst.type)) return Interval::full(type);
      Interval a = at(operands[0], id), b = at(operands[1], id);
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

}  // namespace psi::transform
