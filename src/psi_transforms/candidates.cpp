#include "psi_transforms/candidates.h"

#include <fmt/format.h>

#include "psi/analysis/dominators.h"
#include "psi/analysis/uses.h"
#include "psi/ir/views.h"
#include "psi/psi_transforms/speculate.h"

namespace psi::psi_transforms {

Candidates::Candidates(const Function& function, Analyses& analyses, Remarks* remarks)
    : function_(function),
      uses_(analyses.get<Uses>()),
      remarks_(remarks),
      is_candidate_(function.num_insts()) {
  Defined defined(function, analyses);
  for (BlockId b : analyses.get<Dominators>().preorder()) {
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
  return !is_counted_on(inst) || refuse(id, "a psi may rely on where it is undefined");
}

bool Candidates::is_safe(const Inst& inst, const Defined& defined, Place place) const {
  bool address_is_defined = false;
  if (inst.op == Opcode::Load) {
    Operand address = load_address(function_, inst);
    address_is_defined = address.is_symbol() || (address.is_reg() && defined.at(address.reg(), place));
  }
  return can_be_speculated(function_, inst, address_is_defined);
}

// A predicate that guards a psi's argument is read only where it was computed, and the psi's consistency may
// depend on that. So may definitions under it.
bool Candidates::is_counted_on(const Inst& inst) const {
  for (Reg result : inst.results) {
    if (!result || function_.type(result) != Type::i1) continue;
    for (Use use : uses_.uses(result)) {
      const Inst& user = function_.inst(use.inst);
      bool is_counted_on = use.is_guard() ? user.results[0] && user.result_type() == Type::i1
                                          : is_psi_guard(user, use.operand);
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

}  // namespace psi::psi_transforms

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
      return inst.is_pure();
  }
}

}  // namespace psi
