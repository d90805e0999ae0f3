// The predicate engines side by side.
#pragma once

#include <iterator>
#include <memory>
#include <string_view>

#include "psi/exact/predicates.h"

namespace psi::bench {

struct Engine {
  std::string_view name;
  std::unique_ptr<PredicateEngine> (*make)(PredicateTerms&);
  bool is_slow;  // may ask the solver
};

template <PredicateEngineKind kind>
std::unique_ptr<PredicateEngine> make_engine(PredicateTerms& terms) {
  return make_predicate_engine(kind, terms, [](PredicateTerms& all) { return make_exact_engine(all); });
}

inline constexpr Engine kEngines[] = {
    {"partition", make_engine<PredicateEngineKind::Partition>, false},
    {"hierarchy", make_engine<PredicateEngineKind::Hierarchy>, false},
    {"auto", make_engine<PredicateEngineKind::Auto>, true},
    {"exact", make_engine<PredicateEngineKind::Exact>, true},
};
inline constexpr size_t kNumEngines = std::size(kEngines);
inline constexpr size_t kExact = kNumEngines - 1;

}  // namespace psi::bench
