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

// What is known of the predicates of a function in SSA form: their terms, an engine that compares them, its
// answers. Asked for as analyses.get<GuardFacts>(), so that all passes share what one of them has found. What
// a pass changes after it has asked is not seen.
class GuardFacts {
 public:
  static constexpr Keeps kHoldsWith = Keeps::Predicates;
  // Near-linear. Nearly free in functions without guards and psis.
  GuardFacts(const Function& function, Analyses& analyses);
  // Of one block in plain form, where a register may be written many times: what is known of an instruction
  // holds at the instruction. No domains.
  GuardFacts(const Function& function, BlockId block);

  // Are there guards, psis or cmpps?
  bool any() const { return any_; }

  Term term(Operand predicate) {
    if (predicate == Operand::always()) return Term::always();
    return names_ ? named(predicate) : predicates().value(predicate);
  }
  Term term(Guard guard) { return term(guard.as_operand()); }
  Term both(Term a, Term b) { return terms().both(a, b); }
  Term either(Term a, Term b) { return terms().either(a, b); }
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
  Term guard(InstId id) { return analyses_ ? term(function_.inst(id).guard) : predicates().guard(id); }

  PredicateTerms& terms() { return names_ ? *names_ : predicates().terms(); }
  Predicates& predicates() {
    if (!predicates_) analyse();
    return *predicates_;
  }

 protected:
  enum class ByName : uint8_t {};
  GuardFacts(const Function& function, Analyses& analyses, ByName);

 private:
  void analyse();
  PredicateEngine& engine() {
    if (!engine_) engine_ = make_predicate_engine(PredicateEngineKind::Partition, terms());
    return *engine_;
  }
  Term named(Operand predicate);
  Term psi_domain(InstId psi);

  const Function& function_;
  Analyses* analyses_ = nullptr;  // of a whole function
  bool any_ = false;
  std::optional<Predicates> predicates_;
  std::optional<PredicateTerms> names_;  // guards are compared by name
  std::unique_ptr<PredicateEngine> engine_;
  // Answers by both terms.
  std::unordered_map<uint64_t, bool> subset_;
  std::unordered_map<uint64_t, bool> disjoint_;
  std::vector<Term> domains_;  // by Reg; empty: all are always defined
};

// The same for comparison, without the query system: each register is a condition of its own, whatever it was
// computed from.
class GuardNames : public GuardFacts {
 public:
  GuardNames(const Function& function, Analyses& analyses) : GuardFacts(function, analyses, ByName()) {}
};

inline GuardFacts& guard_facts(Analyses& analyses, bool by_name) {
  return by_name ? analyses.get<GuardNames>() : analyses.get<GuardFacts>();
}

}  // namespace psi
