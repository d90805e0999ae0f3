#include "psi_transforms/candidates.h"

#include <fmt/format.h>

#include "psi/speculate.h"

namespace psi::psis {

Candidates::Candidates(const Function& function, Analyses& analyses, Remarks* remarks)
    : function_(function), uses_(analyses.uses()), remarks_(remarks), is_candidate_(function.num_insts()) {
  Defined defined(function, analyses);
  for (BlockId b : analyses.dominators().preorder()) {
    Place place = {b, 0};
    for (InstId id : function.insts(b)) {
      const Inst& inst = function.inst(id);
      if (inst.guard && inst.results[0]) is_candidate_[id.index()] = is_candidate(id, inst, defined, place);
      place.calls += inst.op == Opcode::Call;
    }
  }
}

bool Candidates::is_candidate(InstId id, const Inst& inst, const Defined& defined, Place place) {
  if (!is_safe(inst, defined, place)) return refuse(id, "it may trap, or has an effect");
  return !is_counted_on(inst) || refuse(id, "a psi may count on where it is undefined");
}

bool Candidates::is_safe(const Inst& inst, const Defined& defined, Place place) const {
  bool address_is_defined = false;
  if (inst.op == Opcode::Load) {
    Operand address = function_.operands(inst)[0];
    address_is_defined = address.is_symbol() || (address.is_reg() && defined.at(address.reg(), place));
  }
  return can_be_speculated(function_, inst, address_is_defined);
}

// Where a predicate guards an argument of a psi it is read only where it was computed, and the argument may
// count on that. So may what is computed under it.
bool Candidates::is_counted_on(const Inst& inst) const {
  for (Reg result : inst.results) {
    if (!result || function_.type(result) != Type::i1) continue;
    for (Use use : uses_.uses(result)) {
      const Inst& user = function_.inst(use.inst);
      bool is_counted_on = use.is_guard() ? user.results[0] && user.result_type() == Type::i1
                                          : user.is_psi() && use.operand % 2 == 0;
      if (is_counted_on) return true;
    }
  }
  return false;
}

bool Candidates::refuse(InstId id, const char* why) {
  ++refused_;
  if (remarks_) remarks_->refused(function_, id, fmt::format("not speculated: {}", why));
  return false;
}

}  // namespace psi::psis

namespace psi {

bool can_be_speculated(const Function& function, const Inst& inst, bool address_is_defined) {
  switch (inst.op) {
    case Opcode::Load:
      return address_is_defined && inst.has_flag(Inst::kDeref) && !inst.has_flag(Inst::kVolatile);
    case Opcode::Udiv:
    case Opcode::Urem: {
      Operand divisor = function.operands(inst)[1];
      return divisor.is_literal() && function.literal_bits(divisor) != 0;
    }
    case Opcode::Sdiv:
    case Opcode::Srem: {
      Operand divisor = function.operands(inst)[1];
      if (!divisor.is_literal()) return false;
      int64_t value = function.literal_signed(divisor);
      return value != 0 && value != -1;
    }
    default:
      return info(inst.op).effect == Effect::Pure;
  }
}

}  // namespace psi
