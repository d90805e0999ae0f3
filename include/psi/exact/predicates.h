// The exact predicate engine, by the solver Z3. Only in builds with the component `exact`.
#pragma once

#include <cstdint>
#include <memory>

#include "psi/predicate/engine.h"

namespace psi {

// Integers are bit vectors, floating-point values are floating-point values, so comparisons are exact,
// whatever values they share. The answer is Unknown after `limit` of the solver's units of work, which are
// the same on every computer; 0: no limit.
constexpr uint32_t kDefaultExactLimit = 200'000;
std::unique_ptr<PredicateEngine> make_exact_engine(const PredicateTerms& terms,
                                                   uint32_t limit = kDefaultExactLimit);

}  // namespace psi
