#include "predication/reverse_if_convert/literals.h"

#include "psi/ir/views.h"

namespace psi::predication {

namespace {

// The most literals that a query visits.
constexpr size_t kMaxSteps = 32;

}  // namespace

void Literals::begin_block() {
  ++block_;
  if (current_.size() < function_.num_regs()) current_.resize(function_.num_regs());
  facts_.clear();
  fresh();  // true
}

Literal Literals::fresh() {
  auto version = static_cast<uint32_t>(facts_.size() / 2);
  facts_.resize(facts_.size() + 2);
  return {version, false};
}

Literal Literals::of(Operand predicate) {
  if (predicate.is_literal()) {
    return function_.literal_bits(predicate) & 1 ? Literal::always() : Literal::never();
  }
  if (!predicate.reads_reg()) return fresh();
  Current& current = current_[predicate.reg().index()];
  if (current.block != block_) current = {block_, fresh()};
  return predicate.is_negated() ? !current.literal : current.literal;
}

void Literals::note_within(Literal inner, Literal outer, size_t place) {
  facts_[inner.index()].within[place] = outer;
  // The contrapositive.
  Facts& facts = facts_[(!outer).index()];
  facts.within[2 + facts.next] = !inner;
  facts.next ^= 1;
}

Literal Literals::both(Literal a, Literal b) {
  if (a == Literal::always() || a == b) return b;
  if (b == Literal::always()) return a;
  if (a == Literal::never() || b == Literal::never() || a == !b) return Literal::never();
  Literal result = fresh();
  note_within(result, a, 0);
  note_within(result, b, 1);
  facts_[result.index()].is_conjunction = true;
  return result;
}

Literal Literals::merged(Literal guard, Literal value, Literal old) {
  if (guard == Literal::always()) return value;
  if (old == Literal::never()) return both(guard, value);
  if (old == Literal::always()) return either(!guard, value);
  if (value == Literal::never()) return both(!guard, old);
  if (value == Literal::always()) return either(guard, old);
  Literal result = fresh();
  if (contains(guard, old)) note_within(result, guard, 0);
  return result;
}

// By the formulas of docs/ir.md.
std::array<Literal, 2> Literals::cmpp_values(const Inst& inst, Operand input) {
  Literal r = of(input), compared = fresh();
  std::array<Literal, 2> values;
  for (int i = 0; i < 2; ++i) {
    if (!inst.results[i]) continue;
    Literal c = is_complement(inst.action(i)) ? !compared : compared;
    Literal old = of(Operand::reg(inst.results[i]));
    switch (action_class(inst.action(i))) {
      case ActionClass::Unconditional:
        values[i] = both(r, c);
        break;
      case ActionClass::ParallelOr:
        values[i] = either(old, both(r, c));
        break;
      case ActionClass::ParallelAnd:
        values[i] = both(old, !both(r, !c));
        break;
      default:
        values[i] = merged(r, c, old);
        break;
    }
  }
  return values;
}

std::array<Literal, 2> Literals::values(const Inst& inst, std::span<const Operand> operands) {
  switch (inst.op) {
    case Opcode::Mov:
      return {of(operands[0])};
    case Opcode::Not:
      return {!of(operands[0])};
    case Opcode::And:
      return {both(of(operands[0]), of(operands[1]))};
    case Opcode::Or:
      return {either(of(operands[0]), of(operands[1]))};
    case Opcode::Cmpp:
      return cmpp_values(inst, as_cmpp(operands).input);
    default:
      return {fresh()};
  }
}

void Literals::pass(InstId id) {
  const Inst& inst = function_.inst(id);
  if (!inst.results[0] || function_.type(inst.results[0]) != Type::i1) return;
  Literal guard = of(inst.guard);
  std::array<Literal, 2> values = this->values(inst, function_.operands(id));
  for (size_t i = 0; i < 2; ++i) {
    if (inst.results[i]) values[i] = merged(guard, values[i], of(Operand::reg(inst.results[i])));
  }
  for (size_t i = 0; i < 2; ++i) {
    if (inst.results[i]) current_[inst.results[i].index()] = {block_, values[i]};
  }
}

bool Literals::contains(Literal outer, Literal inner) const {
  if (outer == inner || outer == Literal::always() || inner == Literal::never()) return true;
  std::array<Literal, kMaxSteps> seen;
  size_t count = 0;
  seen[count++] = inner;
  for (size_t i = 0; i < count; ++i) {
    for (Literal next : facts_[seen[i].index()].within) {
      if (next == outer) return true;
      if (next != Literal::always() && count < kMaxSteps) seen[count++] = next;
    }
  }
  return false;
}

}  // namespace psi::predication
