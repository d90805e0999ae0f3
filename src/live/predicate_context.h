// The predicates of a block or a function, and the symbols of its data flow.
#pragma once

#include <optional>
#include <unordered_map>

#include "live/accesses.h"
#include "psi/predicate/algebra.h"
#include "psi/predicate/predicates.h"

namespace psi::live {

class PredicateContext {
 public:
  // Without predicates: the one set is that of all executions.
  explicit PredicateContext(const Function& function);
  // Of one block, for any form.
  PredicateContext(const Function& function, BlockId block);
  // SSA forms: of the whole function, or of what is looked at of it.
  PredicateContext(const Function& function, Predicates& predicates);
  PredicateContext(const PredicateContext&) = delete;
  PredicateContext& operator=(const PredicateContext&) = delete;

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

  std::optional<Predicates> own_;
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
