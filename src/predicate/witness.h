// Values that make conditions true.
#pragma once

#include <optional>
#include <span>

#include "psi/predicate_explanation.h"
#include "psi/predicate_terms.h"

namespace psi::predicate {

// `right` matters to a pair only.
bool holds(const Condition& condition, uint64_t left, uint64_t right);

// Values for which conditions, or their negations, are all true. Nothing where that is hard to tell:
// conditions on the same values are tried together, but if a value is compared with two others, or cannot be
// anything, nothing is tried.
std::optional<Witness> satisfy(const PredicateTerms& terms, std::span<const Term> product);

}  // namespace psi::predicate
