#include "live/conditions.h"

namespace psi::live {

Conditions::Conditions(const Function& function, Analyses& analyses, bool aware) {
  conditions_.push_back({});
  for (BlockId b : function.layout()) {
    for (InstId id : function.insts(b)) {
      const Inst& inst = function.inst(id);
      any_guards_ = any_guards_ || inst.guard || inst.is_psi();
    }
  }
  if (!any_guards_ || !aware) return;
  predicates_ = std::make_unique<Predicates>(function, analyses);
  engine_ = make_predicate_engine(PredicateEngineKind::Partition, predicates_->terms());
}

Term Conditions::term(Guard guard) {
  if (!aware() || guard.is_always()) return Term::always();
  return predicates_->value(guard.as_operand());
}

uint32_t Conditions::when(Guard guard, Term domain, Known known) {
  if (guard.is_always() && domain == Term::always()) return kAlways;
  uint64_t key = uint64_t{guard.as_operand().raw()} << 32 | domain.raw();
  auto& numbers = numbers_[static_cast<size_t>(known)];
  auto [at, is_new] = numbers.try_emplace(key, static_cast<uint32_t>(conditions_.size()));
  if (is_new) {
    Term all = aware() ? predicates_->terms().both(term(guard), domain) : Term::always();
    conditions_.push_back({guard, all, known});
  }
  return at->second;
}

bool Conditions::excludes(uint32_t condition, Guard guard) {
  if (condition == kAlways || guard.is_always()) return false;
  const Condition& known = conditions_[condition];
  if (known.guard == complement(guard)) return true;
  if (!aware()) return false;
  auto [at, is_new] = answers_.try_emplace(uint64_t{condition} << 32 | guard.as_operand().raw());
  if (is_new) at->second = engine_->disjoint(known.term, term(guard)) == Answer::Yes;
  return at->second;
}

bool Conditions::implies(Guard inner, Guard outer) {
  if (outer.is_always() || inner == outer) return true;
  if (inner.is_always() || !aware()) return false;
  return engine_->subset(term(inner), term(outer)) == Answer::Yes;
}

}  // namespace psi::live
