// The symbols of data flow on predicates: sets of executions, for the terms of GuardFacts.
#pragma once

#include <optional>
#include <unordered_map>

#include "live/accesses.h"
#include "psi/predicate/algebra.h"
#include "psi/predicate/guard_facts.h"

namespace psi::live {

class FlowSymbols {
 public:
  // Without predicates: the one set is that of all executions.
  explicit FlowSymbols(const Function& function);
  // Of one block, for any form.
  FlowSymbols(const Function& function, BlockId block);
  // SSA forms: of the whole function, or of what is looked at of it.
  FlowSymbols(const Function& function, GuardFacts& facts);
  FlowSymbols(const FlowSymbols&) = delete;
  FlowSymbols& operator=(const FlowSymbols&) = delete;

  Accesses& accesses() { return accesses_; }
  PartitionGraph& graph() { return graph_; }
  const PartitionGraph& graph() const { return graph_; }
  const PredicateAlgebra& algebra() const { return algebra_; }
  Predicates* predicates() { return predicates_; }

  // The set of a term; one that includes it, or one within it, once there are too many sets.
  Symbol at_most(Term term) {
    if (term == Term::never()) return Symbol();
    return find(term).value_or(PartitionGraph::root());
  }
  Symbol at_least(Term term) { return find(term).value_or(Symbol()); }

 private:
  std::optional<Symbol> find(Term term);

  std::optional<GuardFacts> of_block_;
  PredicateTerms no_terms_;
  Predicates* predicates_ = nullptr;
  Accesses accesses_;
  PartitionGraph graph_;
  PredicateAlgebra algebra_;
  std::unordered_map<uint32_t, Symbol> symbols_;  // by Term::raw()
};

// Is predicate-aware analysis more precise in the block than blind analysis?
bool has_predicates(const Function& function, BlockId block);

}  // namespace psi::live
