// The condition under which an instruction reads each of its registers, as far as one guard can express it.
#pragma once

#include <optional>

#include "psi/ir/function.h"
#include "psi/ir/views.h"

namespace psi::verify {

// The conjunction. Nothing if the two are disjoint, or if no single guard expresses it.
constexpr std::optional<Guard> both(Guard a, Guard b) {
  if (a.is_always() || a == b) return b;
  if (b.is_always()) return a;
  return std::nullopt;
}

// The condition that none of a psi's arguments further right is taken, built from right to left.
class NoneTaken {
 public:
  // Another argument, which is taken if `guard` is true.
  void add(Guard guard) {
    if (guard.is_always()) {
      known_ = false;
    } else if (!any_) {
      any_ = guard;
    } else if (*any_ != guard) {
      known_ = false;
    }
  }
  // The condition together with `guard`.
  std::optional<Guard> with(Guard guard) const {
    if (!known_) return std::nullopt;
    return any_ ? both(guard, complement(*any_)) : guard;
  }

 private:
  bool known_ = true;
  std::optional<Guard> any_;
};

// Calls visit(Reg, Guard) for each register that the instruction, which is not a phi, reads, with the
// condition under which the value it reads matters. Reads whose condition is not one guard are left out.
template <class Visit>
void for_each_conditional_read(const Function& function, const Inst& inst, Visit visit) {
  std::span<const Operand> operands = function.operands(inst);
  auto read = [&](Operand operand, std::optional<Guard> when) {
    if (operand.reads_reg() && when) visit(operand.reg(), *when);
  };
  if (inst.guard) visit(inst.guard.reg(), Guard());

  if (inst.is_psi()) {
    NoneTaken rest;
    PsiArguments arguments = psi_arguments(operands);
    for (size_t i = arguments.size(); i-- > 0;) {
      Guard guard(arguments[i].guard);
      read(arguments[i].guard, rest.with(Guard()));
      read(arguments[i].value, rest.with(guard));
      rest.add(guard);
    }
  } else if (inst.op == Opcode::Select && as_select(operands).condition.is_reg()) {
    SelectView select = as_select(operands);
    Guard taken(select.condition);
    read(select.condition, inst.guard);
    read(select.if_true, both(inst.guard, taken));
    read(select.if_false, both(inst.guard, complement(taken)));
  } else if (inst.op == Opcode::Cmpp) {
    CmppView cmpp = as_cmpp(operands);
    std::optional<Guard> when = both(inst.guard, Guard(cmpp.input));
    read(cmpp.left, when);
    read(cmpp.right, when);
    read(cmpp.input, inst.guard);
    for (Operand old : cmpp.olds) read(old, inst.guard);
  } else if ((inst.op == Opcode::And || inst.op == Opcode::Or) && inst.type == Type::i1) {
    // One side alone may decide.
    for (int i = 0; i < 2; ++i) {
      Operand other = operands[1 - i];
      std::optional<Guard> when = inst.guard;
      if (other.is_reg()) when = both(inst.guard, Guard(other.reg(), inst.op == Opcode::Or));
      read(operands[i], when);
    }
  } else {
    for (Operand operand : operands) read(operand, inst.guard);
  }
}

}  // namespace psi::verify
