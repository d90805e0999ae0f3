// Facts about the guards of a function in SSA form, and the domains of its registers.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <unordered_map>
#include <vector>

#include "psi/pass/analyses.h"
#include "psi/predicate/engine.h"
#include "psi/predicate/predicates.h"

namespace psi {

// Are there guards, psis or cmpps? Linear.
bool has_guards(const Function& function);

// Valid until instructions are added, removed or moved; changed operands and guards are not seen. Answers are
// cached.
class GuardFacts {
 public:
  // Near-linear. Nearly free in functions without guards and psis.
  GuardFacts(const Function& function, Analyses& analyses);

  // Are there guards or psis?
  bool any() const { return any_; }

  Term term(Operand predicate) {
    return predicate == Operand::always() ? Term::always() : predicates().value(predicate);
  }
  Term term(Guard guard) { return term(guard.as_operand()); }
  Term both(Term a, Term b) { return predicates().terms().both(a, b); }
  Term either(Term a, Term b) { return predicates().terms().either(a, b); }
  // Is `inner` known to be contained in `outer`?
  bool contains(Term outer, Term inner);
  // Are they known to be disjoint?
  bool excludes(Term a, Term b);

  // The executions in which a value is defined, among those that reach its definition.
  Term domain(Operand value) const {
    return value.reads_reg() && value.reg().index() < domains_.size() ? domains_[value.reg().index()]
                                                                      : Term::always();
  }
  // The executions in which an instruction executes.
  Term guard(InstId id) { return term(function_.inst(id).guard); }

  Predicates& predicates() {
    if (!predicates_) analyse();
    return *predicates_;
  }
  PredicateEngine& engine() {
    if (!predicates_) analyse();
    return *engine_;
  }

 private:
  void analyse();
  Term psi_domain(InstId psi);

  const Function& function_;
  Analyses& analyses_;
  bool any_ = false;
  std::optional<Predicates> predicates_;
  std::unique_ptr<PredicateEngine> engine_;
  // Answers by both terms.
  std::unordered_map<uint64_t, bool> subset_;
  std::unordered_map<uint64_t, bool> disjoint_;
  std::vector<Term> domains_;  // by Reg; empty: all are always defined
};

}  // namespace psi
