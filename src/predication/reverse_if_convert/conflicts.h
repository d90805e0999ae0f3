// May an instruction move above an earlier one?
#pragma once

#include <algorithm>

#include "psi/ir/function.h"

namespace psi::predication {

inline bool reads(const Function& function, InstId id, Reg r) {
  const Inst& inst = function.inst(id);
  if (inst.guard && inst.guard.reg() == r) return true;
  return std::ranges::any_of(function.operands(inst),
                             [&](Operand operand) { return operand.reads_reg() && operand.reg() == r; });
}

inline bool writes(const Inst& inst, Reg r) { return inst.results[0] == r || inst.results[1] == r; }

// Registers: neither may write a register that the other reads or writes. Memory: only reads pass each other.
// A call may not return, so potential undefined behaviour, an undef guard included, must not move above it.
inline bool may_pass(const Function& function, InstId later, InstId earlier) {
  const Inst &moved = function.inst(later), &passed = function.inst(earlier);
  for (Reg r : moved.results) {
    if (r && (writes(passed, r) || reads(function, earlier, r))) return false;
  }
  for (Reg r : passed.results) {
    if (r && reads(function, later, r)) return false;
  }
  Effect moves = moved.effect(), stays = passed.effect();
  if (passed.op == Opcode::Call && (moved.guard || moves != Effect::Pure)) return false;
  auto is_memory = [](Effect effect) { return effect == Effect::Read || effect == Effect::Write; };
  if (!is_memory(moves) || !is_memory(stays)) return true;
  auto only_reads = [](const Inst& inst, Effect effect) {
    return effect == Effect::Read && !inst.has_flag(Inst::kVolatile);
  };
  return only_reads(moved, moves) && only_reads(passed, stays);
}

}  // namespace psi::predication
