#include "ssa/domains.h"

namespace psi::ssa {

void Domains::define_psi(Reg name, InstId psi) {
  std::span<const Operand> pairs = function_.operands(psi);
  // The guards of all arguments but the first lie within the domains of their values, so the first decides,
  // or a second one that is its complement.
  bool everywhere = contains(pairs[1], Guard(pairs[0])) &&
                    (Guard(pairs[0]).is_always() ||
                     (pairs.size() >= 4 && pairs[2].reads_reg() && pairs[2].reg() == pairs[0].reg() &&
                      pairs[2].is_negated() != pairs[0].is_negated()));
  entry(name) = {Guard(), psi, !everywhere};
}

bool Domains::contains(Operand value, Guard guard) const {
  if (value.is_undef()) return false;
  if (!value.reads_reg()) return true;
  if (value.reg().index() >= entries_.size()) return value.reg().index() < function_.num_regs();
  const Entry& entry = entries_[value.reg().index()];
  if (!entry.partial) return true;
  if (!entry.psi) return entry.guard == guard;
  std::span<const Operand> pairs = function_.operands(entry.psi);
  for (size_t i = 2; i < pairs.size(); i += 2) {
    if (Guard(pairs[i]) == guard) return true;
  }
  // The first argument may be a psi in turn; the chain is not followed.
  if (Guard(pairs[0]) != guard) return false;
  if (!pairs[1].reads_reg() || !psi(pairs[1].reg())) return contains(pairs[1], guard);
  return !entries_[pairs[1].reg().index()].partial;
}

}  // namespace psi::ssa
