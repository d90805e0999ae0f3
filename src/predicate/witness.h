// Values that make conditions true.
#pragma once

#include <optional>
#include <span>

#include "psi/predicate/explanation.h"
#include "psi/predicate/terms.h"

namespace psi::predicate {

// `right` matters to a pair only.
bool holds(const Condition& condition, uint64_t left, uint64_t right);

// Values for which conditions, or their negations, are all true. Nothing in hard cases: conditions on the
// same values are solved together, but not if a value is compared with two others, or is fixed.
std::optional<Witness> satisfy(const PredicateTerms& terms, std::span<const Term> product);

}  // namespace psi::predicate
