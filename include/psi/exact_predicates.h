// The exact predicate engine, by the solver Z3. Only in builds with the component `exact`.
#pragma once

#include <cstdint>
#include <memory>

#include "psi/predicate_engine.h"

namespace psi {

// Integers are bit vectors, floating-point values are floating-point values, so comparisons are what they
// are, whatever values they share. A question is given up, and Unknown, after `limit` of the solver's units
// of work, which do not depend on the machine; 0: never.
constexpr uint32_t kDefaultExactLimit = 200'000;
std::unique_ptr<PredicateEngine> make_exact_engine(const PredicateTerms& terms,
                                                   uint32_t limit = kDefaultExactLimit);

}  // namespace psi
