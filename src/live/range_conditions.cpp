#include "live/range_conditions.h"

namespace psi::live {

RangeConditions::RangeConditions(const Function& function, Analyses& analyses, bool aware) {
  conditions_.push_back({});
  if (!aware) {
    any_guards_ = has_guards(function);
    return;
  }
  facts_ = &analyses.get<GuardFacts>();
  any_guards_ = facts_->any();
  if (!any_guards_) facts_ = nullptr;
}

Term RangeConditions::term(Guard guard) { return aware() ? facts_->term(guard) : Term::always(); }

uint32_t RangeConditions::when(Guard guard, Term domain, Known known) {
  if (guard.is_always() && domain == Term::always()) return kAlways;
  uint64_t key = uint64_t{guard.as_operand().raw()} << 32 | domain.raw();
  auto& numbers = numbers_[static_cast<size_t>(known)];
  auto [at, is_new] = numbers.try_emplace(key, static_cast<uint32_t>(conditions_.size()));
  if (is_new) {
    Term all = both(term(guard), domain);
    conditions_.push_back({guard, all, known});
  }
  return at->second;
}

bool RangeConditions::excludes(uint32_t condition, Guard guard) {
  if (condition == kAlways || guard.is_always()) return false;
  const Condition& known = conditions_[condition];
  if (known.guard == complement(guard)) return true;
  return aware() && facts_->excludes(known.term, term(guard));
}

bool RangeConditions::implies(Guard inner, Guard outer) {
  if (outer.is_always() || inner == outer) return true;
  return aware() && facts_->contains(term(outer), term(inner));
}

}  // namespace psi::live
