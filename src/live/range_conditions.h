// The conditions under which registers are read and written, by number, as live ranges keep them. What is
// known of guards is known by GuardFacts.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "psi/ir/function.h"
#include "psi/pass/analyses.h"
#include "psi/predicate/guard_facts.h"

namespace psi::live {

// Known where a value is defined, or only later, where it is read.
enum class Known : uint8_t { AtDefinition, Later };

// A condition is a guard by name, further guards as a term, or both.
class RangeConditions {
 public:
  static constexpr uint32_t kAlways = 0;

  // `aware`: by the facts about guards; otherwise a guard excludes only its own complement. The function must
  // not change while this is in use.
  RangeConditions(const Function& function, Analyses& analyses, bool aware);

  // Is anything guarded at all?
  bool any_guards() const { return any_guards_; }
  bool aware() const { return facts_ != nullptr; }

  // Where `guard` is true and, if it is known, `domain`.
  uint32_t when(Guard guard, Term domain = Term::always(), Known known = Known::AtDefinition);
  Known known(uint32_t condition) const { return conditions_[condition].known; }
  Term term(Guard guard);
  Term both(Term a, Term b) { return aware() ? facts_->both(a, b) : Term::always(); }
  Term either(Term a, Term b) { return aware() ? facts_->either(a, b) : Term::always(); }
  // Only if aware.
  PredicateTerms& terms() { return facts_->terms(); }

  // Is `guard`, of an executed instruction, disjoint from the condition?
  bool excludes(uint32_t condition, Guard guard);
  // Is `inner` contained in `outer`?
  bool implies(Guard inner, Guard outer);

 private:
  struct Condition {
    Guard guard;
    Term term;
    Known known = Known::AtDefinition;
  };

  GuardFacts* facts_ = nullptr;  // if aware
  std::vector<Condition> conditions_;
  std::unordered_map<uint64_t, uint32_t> numbers_[2];  // by when they are known: by guard and term
  bool any_guards_ = false;
};

}  // namespace psi::live
