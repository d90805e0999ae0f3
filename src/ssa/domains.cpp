#include "ssa/domains.h"

#include "psi/ir/views.h"

namespace psi::ssa {

void Domains::define_psi(Reg name, InstId psi) {
  PsiArguments arguments = psi_arguments(function_, psi);
  // The guards of all arguments but the first lie within the domains of their values.
  auto [guard, value] = arguments.front();
  bool everywhere = contains(value, Guard(guard)) && always_chooses(arguments);
  entry(name) = {Guard(), psi, !everywhere};
}

bool Domains::contains(Operand value, Guard guard) const {
  if (value.is_undef()) return false;
  if (!value.reads_reg()) return true;
  if (value.reg().index() >= entries_.size()) return value.reg().index() < function_.num_regs();
  const Entry& entry = entries_[value.reg().index()];
  if (!entry.partial) return true;
  if (!entry.psi) return entry.guard == guard;
  PsiArguments arguments = psi_arguments(function_, entry.psi);
  for (PsiArgument later : arguments.without_first()) {
    if (Guard(later.guard) == guard) return true;
  }
  // The first argument may be a psi in turn; the chain is not followed.
  PsiArgument first = arguments.front();
  if (Guard(first.guard) != guard) return false;
  if (!first.value.reads_reg() || !psi(first.value.reg())) return contains(first.value, guard);
  return !entries_[first.value.reg().index()].partial;
}

}  // namespace psi::ssa
