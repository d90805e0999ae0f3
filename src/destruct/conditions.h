// Under which conditions registers are read and written, and which of these exclude each other.
#pragma once

#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

#include "psi/analyses.h"
#include "psi/function.h"
#include "psi/predicate_engine.h"
#include "psi/predicates.h"

namespace psi::destruction {

constexpr Guard complement(Guard guard) { return guard ? Guard(guard.reg(), !guard.is_negated()) : guard; }

// A condition is a guard by name, further guards as a term, or both.
class Conditions {
 public:
  static constexpr uint32_t kAlways = 0;

  // `aware`: ask the query system; otherwise a guard excludes only its own complement. The function must not
  // change while this is in use.
  Conditions(const Function& function, Analyses& analyses, bool aware);

  // Is anything guarded at all?
  bool any_guards() const { return any_guards_; }
  bool aware() const { return predicates_ != nullptr; }

  // Where `guard` is true and, if it is known, `domain`.
  uint32_t when(Guard guard, Term domain = Term::always());
  Term term(Guard guard);
  Term either(Term a, Term b) { return aware() ? predicates_->terms().either(a, b) : Term::always(); }

  // Is `guard`, of an instruction that is executed, never true where the condition is?
  bool excludes(uint32_t condition, Guard guard);
  // Is the one true only where the other is?
  bool implies(Guard inner, Guard outer);

 private:
  struct Condition {
    Guard guard;
    Term term;
  };

  std::unique_ptr<Predicates> predicates_;
  std::unique_ptr<PredicateEngine> engine_;
  std::vector<Condition> conditions_;
  std::unordered_map<uint64_t, uint32_t> numbers_;  // by guard and term
  std::unordered_map<uint64_t, bool> answers_;      // by condition and guard
  bool any_guards_ = false;
};

}  // namespace psi::destruction
