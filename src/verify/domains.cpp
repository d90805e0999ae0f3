#include "verify/domains.h"

#include <algorithm>
#include <tuple>

#include "psi/analysis/dominators.h"

namespace psi::verify {

bool GuardUnion::add(Guard guard) {
  for (uint32_t i = 0; i < count_; ++i) {
    if (guards_[i].is_always() || guards_[i] == guard) return true;
    // A guard and its complement cover all executions.
    if (!guard.is_always() && guards_[i].reg() == guard.reg()) guard = Guard();
  }
  if (guard.is_always()) count_ = 0;
  if (count_ == kMax) return false;
  guards_[count_++] = guard;
  return true;
}

Domains::Domains(const Context& context, const Dominators& dominators, const Definitions& definitions)
    : context_(context), function_(context.function), definitions_(definitions) {
  if (definitions.psis().empty()) return;
  struct Psi {
    uint32_t order;
    uint32_t position;
    InstId inst;
  };
  std::vector<Psi> psis;
  for (InstId id : definitions.psis()) {
    const Definition& definition = definitions[function_.inst(id).results[0]];
    if (!dominators.is_reachable(definition.block)) continue;
    psis.push_back({dominators.pre_number(definition.block), definition.position, id});
  }
  // A psi's arguments dominate it, so in this order their domains are known before its own.
  std::sort(psis.begin(), psis.end(), [](const Psi& a, const Psi& b) {
    return std::tie(a.order, a.position) < std::tie(b.order, b.position);
  });
  psi_domain_.resize(function_.num_regs());
  psi_domains_.reserve(psis.size());
  for (auto [order, position, id] : psis) {
    psi_domain_[function_.inst(id).results[0].index()] = static_cast<uint32_t>(psi_domains_.size());
    psi_domains_.push_back(of_psi(psi_arguments(function_, id)));
  }
}

Domain Domains::of(Operand value) const {
  // Undef may become any value, so it need not be preserved and is never missing.
  if (value.is_undef()) return {GuardUnion(), GuardUnion(Guard())};
  Guard guard;
  if (value.reads_reg()) {
    if (InstId id = definitions_[value.reg()].inst) {
      const Inst& inst = function_.inst(id);
      // Psis in unreachable blocks are not checked.
      if (inst.is_psi() && !psi_domains_.empty()) return psi_domains_[psi_domain_[value.reg().index()]];
      guard = inst.guard;
    }
  }
  return {GuardUnion(guard), GuardUnion(guard)};
}

// The union of the arguments' guards, each intersected with its argument's domain.
Domain Domains::of_psi(PsiArguments arguments) const {
  Domain result;
  auto implies = [&](Guard a, Guard b) { return context_.oracle.implies(function_, a, b) == Answer::Yes; };
  auto disjoint = [&](Guard a, Guard b) { return context_.oracle.disjoint(function_, a, b) == Answer::Yes; };
  auto add_upper = [&](Guard guard) {
    if (!result.upper.add(guard)) result.upper.add(Guard());
  };
  for (PsiArgument argument : arguments) {
    Guard guard(argument.guard);
    Domain value = of(argument.value);
    for (Guard part : value.lower.guards()) {
      // The intersection of two guards that overlap in an unknown way is unknown. A part without room is left
      // out, which only weakens the bound.
      if (implies(guard, part)) {
        result.lower.add(guard);
      } else if (implies(part, guard)) {
        result.lower.add(part);
      }
    }
    for (Guard part : value.upper.guards()) {
      if (!disjoint(guard, part)) add_upper(implies(part, guard) ? part : guard);
    }
  }
  return result;
}

Answer Domains::contains(const Domain& domain, BlockId where, Guard guard) const {
  const PredicateOracle& oracle = context_.oracle;
  if (oracle.within(function_, where, guard, domain.lower.guards()) == Answer::Yes) return Answer::Yes;
  Answer largest = oracle.within(function_, where, guard, domain.upper.guards());
  return largest == Answer::No ? Answer::No : Answer::Unknown;
}

}  // namespace psi::verify
