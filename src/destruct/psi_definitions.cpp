#include "destruct/psi_definitions.h"

namespace psi::destruct {

using namespace live;

Point PsiDefinitions::definition(Reg r) const { return is_new(r) ? copy(r).point : points_.of_definition(r); }

Point PsiDefinitions::top(Reg r) const {
  const Merge* psi = merge(r);
  return psi ? psi->top : definition(r);
}

std::optional<Guard> PsiDefinitions::guard(Reg r) const {
  if (const Merge* psi = merge(r)) return psi->guard;
  if (is_new(r)) return copy(r).guard;
  InstId id = uses_.definition(r);
  return id ? function_.inst(id).guard : Guard();
}

GuardUnion PsiDefinitions::written(Reg r) const {
  const Merge* psi = merge(r);
  return psi ? psi->written : GuardUnion(guards_.term(*guard(r)));
}

bool PsiDefinitions::is_full(Reg r) const {
  const Merge* psi = merge(r);
  return !psi || psi->is_full;
}

bool PsiDefinitions::is_tight(Reg r) const {
  const Merge* psi = merge(r);
  for (int depth = 0; psi && psi->first.is_reg(); ++depth) {
    Reg first = psi->first.reg();
    if (depth == kMaxDepth || !contains(guards_, written(first), guards_.term(psi->first.guard)))
      return false;
    psi = merge(first);
  }
  return true;
}

void PsiDefinitions::add_copy(Reg r, Point point, Guard guard) {
  copy_of_.resize(r.index() - num_old_regs_ + 1);
  copy_of_.back() = static_cast<uint32_t>(copies_.size());
  copies_.push_back({point, guard});
}

void PsiDefinitions::add_psi(Reg r, Point point, std::span<const PsiArgument> arguments) {
  Merge result;
  result.top = point;
  for (const PsiArgument& argument : arguments) {
    if (argument.is_undef()) continue;
    GuardUnion part = written(argument.reg());
    result.is_full = result.is_full && is_full(argument.reg());
    result.written.add(part, guards_.terms());
    if (result.first.is_reg()) continue;
    result.first = argument;
    result.top = top(argument.reg());
    result.is_full = result.is_full && contains(guards_, guards_.term(argument.guard), part);
  }
  for (const PsiArgument& argument : arguments) {
    if (argument.is_undef() || !result.is_full || !result.written.is_known()) continue;
    std::optional<Guard> own = guard(argument.reg());
    if (own && guards_.term(*own) == result.written.term()) result.guard = own;
  }
  merges_.push_back(result);
  merge_of_[r.index()] = static_cast<uint32_t>(merges_.size());
}

}  // namespace psi::destruct
