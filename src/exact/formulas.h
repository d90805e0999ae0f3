// Terms as formulas of the solver.
#pragma once

#include <z3++.h>

#include "psi/predicate/terms.h"

namespace psi::exact {

class Formulas {
 public:
  explicit Formulas(const PredicateTerms& terms) : terms_(terms), nodes_(context_) {}

  z3::context& context() { return context_; }
  // Near-linear in the terms that are new.
  z3::expr of(Term term);
  // The bits of a value in a model.
  uint64_t bits(const z3::model& model, Type type, ValueNumber number);

 private:
  z3::expr literal(Term term) const;
  z3::expr make(Term term);
  z3::expr outcomes(const Condition& condition, const z3::expr& a, const z3::expr& b);
  z3::expr value(Type type, ValueNumber number);

  const PredicateTerms& terms_;
  z3::context context_;
  z3::expr_vector nodes_;  // by node
};

}  // namespace psi::exact
