#include "optimise/predicates/simplify_predicates_values.h"

#include <algorithm>
#include <utility>

#include "psi/analysis/dominators.h"
#include "psi/analysis/uses.h"
#include "psi/ir/evaluate.h"
#include "psi/ir/views.h"
#include "support/hash.h"

namespace psi::optimise {
namespace {

constexpr uint32_t kNoFound = UINT32_MAX;
// The most equal comparisons that do not dominate that are considered.
constexpr int kMaxFound = 8;

}  // namespace

PredicateValues::PredicateValues(Function& function, Analyses& analyses, GuardFacts& guards)
    : function_(function),
      analyses_(analyses),
      uses_(analyses.get<Uses>()),
      guards_(guards),
      values_(function.num_regs()) {}

Operand PredicateValues::value(Operand predicate) const {
  if (!predicate.reads_reg() || !is_replaced(predicate.reg())) return predicate;
  Operand value = values_[predicate.reg().index()];
  return predicate.is_negated() ? complement(value) : value;
}

void PredicateValues::visit(BlockId b, InstId id, uint32_t calls) {
  const Inst& inst = function_.inst(id);
  if (inst.op != Opcode::Cmpp) {
    Operand found = computed(id, {b, calls});
    bool contains = !found.reads_reg() || guards_.contains(guards_.domain(found), guards_.guard(id));
    if (!found.is_none() && contains) return set(inst.results[0], found);
  }
  number_targets(b, id);
}

// --- From other predicates ------------------------------------------------------------------------------

// None if nothing is known.
Operand PredicateValues::computed(InstId id, Place place) {
  const Inst& inst = function_.inst(id);
  std::span<const Operand> operands = std::as_const(function_).operands(id);
  switch (inst.op) {
    case Opcode::Mov:
      return operands[0].is_undef() ? Operand() : value(operands[0]);
    case Opcode::Not:
      return operands[0].is_undef() ? Operand() : complement(value(operands[0]));
    case Opcode::Select: {
      bool literals = operands[1].is_literal() && operands[2].is_literal() && operands[0].is_reg();
      if (!literals) return {};
      return from_truth(operands[0], function_.literal_bits(operands[2]),
                        function_.literal_bits(operands[1]));
    }
    case Opcode::And:
    case Opcode::Or:
    case Opcode::Xor:
      return computed_by_logic(inst, place);
    case Opcode::Trunc: {
      std::optional<TwoValues> two = two_values(operands[0]);
      return two ? from_truth(two->predicate, two->values[0] & 1, two->values[1] & 1) : Operand();
    }
    case Opcode::Cmp:
      return compared(inst);
    default:
      return {};
  }
}

Operand PredicateValues::from_truth(Operand predicate, bool if_false, bool if_true) {
  if (if_false == if_true) return Operand::truth(if_true);
  return if_true ? value(predicate) : complement(value(predicate));
}

Operand PredicateValues::computed_by_logic(const Inst& inst, Place place) {
  std::span<const Operand> operands = std::as_const(function_).operands(inst);
  if (operands[0].is_undef() || operands[1].is_undef()) return {};
  Operand a = value(operands[0]), b = value(operands[1]);
  if (!a.reads_reg()) std::swap(a, b);
  if (inst.op == Opcode::Xor) {
    if (!b.reads_reg()) return b == Operand::always() ? complement(a) : a;
    return a.reg() == b.reg() ? Operand::truth(a != b) : Operand();
  }
  Operand neutral = Operand::truth(inst.op == Opcode::And), other = Operand::truth(inst.op == Opcode::Or);
  if (!b.reads_reg()) return b == neutral ? a : other;
  if (a == b) return a;
  // For `or`, the same of the complements.
  Term first = guards_.term(a), second = guards_.term(b);
  if (inst.op == Opcode::Or) first = !first, second = !second;
  if (guards_.excludes(first, second)) return other;
  if (guards_.contains(second, first)) return implied(inst, a, b, place);
  if (guards_.contains(first, second)) return implied(inst, b, a, place);
  return {};
}

// One operand alone decides. Where it is undef the other one may have decided, so they must be undef
// together.
Operand PredicateValues::implied(const Inst& inst, Operand kept, Operand other, Place place) {
  if (!defined_) defined_.emplace(function_, analyses_);
  if (defined_->at(kept.reg(), place)) return kept;
  bool everywhere = guards_.contains(guards_.domain(kept), guards_.term(inst.guard));
  return everywhere && is_undefined_with(kept, other) ? kept : Operand();
}

// Two compares of the same values are undefined together.
bool PredicateValues::is_undefined_with(Operand kept, Operand other) const {
  InstId a = uses_.definition(kept.reg()), b = uses_.definition(other.reg());
  if (!a || !b || function_.inst(a).op != Opcode::Cmp || function_.inst(b).op != Opcode::Cmp) return false;
  std::span<const Operand> others = std::as_const(function_).operands(b);
  return std::ranges::all_of(std::as_const(function_).operands(a), [&](Operand operand) {
    return operand.is_literal() || operand.is_symbol() || std::ranges::find(others, operand) != others.end();
  });
}

// A value that a predicate chooses from two literals, against a third; or two predicates.
Operand PredicateValues::compared(const Inst& inst) {
  auto [left, right] = as_compared(function_, inst);
  bool is_swapped = left.is_literal();
  if (is_swapped) std::swap(left, right);
  if (!left.is_reg()) return {};
  if (right.is_literal()) {
    Cond cond = is_swapped ? swap_operands(inst.cond()) : inst.cond();
    std::optional<TwoValues> two = two_values(left);
    if (!two) return {};
    uint64_t literal = function_.literal_bits(right);
    Type type = function_.as_bits(inst.type);
    return from_truth(two->predicate, eval_cond(cond, type, two->values[0], literal),
                      eval_cond(cond, type, two->values[1], literal));
  }
  bool is_equality = inst.cond() == Cond::eq || inst.cond() == Cond::ne;
  if (inst.type != Type::i1 || !is_equality || !right.is_reg()) return {};
  Operand a = value(left), b = value(right);
  if (!a.reads_reg()) std::swap(a, b);
  if (!a.reads_reg() || (b.reads_reg() && a.reg() != b.reg())) return {};
  bool asks_equal = inst.cond() == Cond::eq;
  if (b.reads_reg()) return Operand::truth((a == b) == asks_equal);
  return (b == Operand::always()) == asks_equal ? a : complement(a);
}

std::optional<PredicateValues::TwoValues> PredicateValues::two_values(Operand operand) const {
  if (!operand.is_reg()) return std::nullopt;
  if (function_.type(operand) == Type::i1) return TwoValues{operand, {0, 1}};
  InstId id = uses_.definition(operand.reg());
  if (!id) return std::nullopt;
  const Inst& inst = function_.inst(id);
  std::span<const Operand> operands = std::as_const(function_).operands(id);
  bool extends = inst.op == Opcode::Zext || inst.op == Opcode::Sext;
  if (extends && inst.from() == Type::i1 && operands[0].is_reg()) {
    return TwoValues{operands[0], {0, inst.op == Opcode::Zext ? 1 : value_mask(inst.type)}};
  }
  if (inst.op != Opcode::Select) return std::nullopt;
  auto [condition, if_true, if_false] = as_select(operands);
  if (!condition.is_reg() || !if_true.is_literal() || !if_false.is_literal()) return std::nullopt;
  return TwoValues{condition, {function_.literal_bits(if_false), function_.literal_bits(if_true)}};
}

// --- Equal comparisons ----------------------------------------------------------------------------------

size_t PredicateValues::Hash::operator()(const Comparison& c) const {
  psi::Hash hash;
  hash.add(static_cast<uint64_t>(c.type) << 8 | static_cast<uint64_t>(c.cond) << 1 | c.complement);
  for (Operand operand : {c.left, c.right, c.input}) hash.add(operand.raw());
  return hash.value();
}

// Literals on the right, registers in order; of a condition and its complement the first in the list; x <= 4
// is x < 5, and x < 1 without sign is x == 0.
PredicateValues::Comparison PredicateValues::comparison(const Inst& inst) {
  auto [left, right] = as_compared(function_, inst);
  Comparison c{inst.type, inst.cond(), false, left, right, Operand::always()};
  if (!c.right.is_literal() && (c.left.is_literal() || c.left.raw() > c.right.raw())) {
    std::swap(c.left, c.right);
    c.cond = swap_operands(c.cond);
  }
  if (negate(c.cond) < c.cond) c.cond = negate(c.cond), c.complement = true;
  if (!c.right.is_literal() || !is_int(c.type)) return c;
  uint64_t bits = function_.literal_bits(c.right), mask = value_mask(c.type);
  bool is_raised = (c.cond == Cond::le && bits != mask >> 1) || (c.cond == Cond::ule && bits != mask);
  if (is_raised) {
    c.cond = c.cond == Cond::le ? Cond::lt : Cond::ult;
    bits = (bits + 1) & mask;
  }
  if (c.cond == Cond::ult && bits == 1) c.cond = Cond::eq, bits = 0;
  c.right = function_.literal(c.type, bits);
  return c;
}

void PredicateValues::number_targets(BlockId b, InstId id) {
  const Inst& inst = function_.inst(id);
  if (inst.op == Opcode::Cmp) return number(b, id, inst.results[0], comparison(inst));
  if (inst.op != Opcode::Cmpp) return;
  for (int target = 0; target < 2; ++target) {
    Action action = inst.action(target);
    Reg result = inst.results[static_cast<size_t>(target)];
    if (!result || is_partial(action)) continue;
    Comparison c = comparison(inst);
    if (is_complement(action)) c.complement = !c.complement;
    c.input = value(as_cmpp(function_, id).input);
    number(b, id, result, c);
  }
}

void PredicateValues::number(BlockId b, InstId id, Reg target, Comparison c) {
  // With an input, the two outcomes are not complementary.
  bool flips = c.input == Operand::always() && c.complement;
  if (flips) c.complement = false;
  auto [at, is_new] = newest_.try_emplace(c, kNoFound);
  uint32_t i = at->second;
  for (int looked_at = 0; i != kNoFound && looked_at < kMaxFound; ++looked_at, i = found_[i].previous) {
    const Found& found = found_[i];
    if (!analyses_.get<Dominators>().dominates(found.block, b)) continue;
    Term domain = guards_.domain(found.predicate);
    if (!guards_.contains(domain, guards_.guard(id))) continue;
    return set(target, flips ? complement(found.predicate) : found.predicate);
  }
  found_.push_back({Operand::predicate(target, flips), b, at->second});
  at->second = static_cast<uint32_t>(found_.size() - 1);
}

}  // namespace psi::optimise
