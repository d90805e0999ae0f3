#include "scramble/reads.h"

#include "psi/analysis/uses.h"
#include "psi/ir/views.h"

namespace psi::scramble {

Operand Reads::value(Use use) const {
  return use.is_guard() ? function_.inst(use.inst).guard.as_operand()
                        : function_.operands(use.inst)[use.operand];
}

Term Reads::condition(Use use) {
  const Inst& inst = function_.inst(use.inst);
  if (use.is_guard()) return Term::always();
  if (!inst.is_psi()) return facts_.term(inst.guard);
  auto [i, is_value] = pair_operand(use.operand);
  if (!is_value) return Term::always();
  std::vector<Argument> arguments = arguments_of(function_, use.inst);
  return facts_.both(facts_.term(arguments[i].guard), !facts_.united(std::span(arguments).subspan(i + 1)));
}

bool Reads::may_be(Use use, Operand other) {
  return is_there(use, other) && keeps_predicates(use, other) && suits_psi(use, other);
}

void Reads::set(Use use, Operand other) {
  if (use.is_guard()) {
    function_.inst(use.inst).guard = Guard(other);
  } else {
    function_.operands(use.inst)[use.operand] = other;
  }
}

bool Reads::is_there(Use use, Operand other) const {
  if (!function_.inst(use.inst).is_phi()) return facts_.is_available(other, use.inst);
  BlockId from = incoming_block(function_, use.inst, use.operand);
  return facts_.is_available(other, from, static_cast<uint32_t>(function_.insts(from).size()));
}

bool Reads::suits_psi(Use use, Operand other) {
  if (use.is_guard() || !function_.inst(use.inst).is_psi()) return true;
  std::vector<Argument> arguments = arguments_of(function_, use.inst);
  auto [i, is_value] = pair_operand(use.operand);
  Argument& argument = arguments[i];
  // The psi must keep its domain, for its readers.
  Term needed = facts_.both(facts_.term(argument.guard), facts_.domain(argument.value));
  (is_value ? argument.value : argument.guard) = other;
  Term domain = facts_.domain(argument.value);
  return facts_.contains(domain, needed) && (i == 0 || facts_.contains(domain, facts_.term(argument.guard)));
}

// Different facts may be known about equal values, and the verifier needs them.
bool Reads::keeps_predicates(Use use, Operand other) {
  Operand old = value(use);
  const Inst& inst = function_.inst(use.inst);
  bool defines_predicate = inst.results[0] && inst.result_type() == Type::i1;
  if (function_.type(old) == Type::i1) {
    bool is_condition = use.is_guard() || inst.is_terminator() || is_psi_guard(inst, use.operand);
    // Names show that a predicate is read only where it was computed.
    if (use.is_guard() && defines_predicate) return false;
    // Facts about a phi need facts about all arguments when the block is visited.
    if (inst.is_phi() && !facts_.is_available(other, facts_.block(use.inst), 0)) return false;
    return (!is_condition && !defines_predicate) || facts_.term(other) == facts_.term(old);
  }
  // A copy may be compared.
  return (!defines_predicate && inst.op != Opcode::Mov) || copied(other) == copied(old);
}

// The first of a chain of copies.
Operand Reads::copied(Operand value) const {
  while (value.is_reg()) {
    InstId id = facts_.definition(value.reg());
    if (!id || function_.inst(id).op != Opcode::Mov) break;
    value = function_.operands(id)[0];
  }
  return value;
}

}  // namespace psi::scramble
