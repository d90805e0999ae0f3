#include <algorithm>
#include <array>
#include <utility>

#include "predicate/engines.h"

namespace psi {
namespace {

constexpr std::array<std::string_view, 4> kNames = {"partition", "hierarchy", "exact", "auto"};

}  // namespace

std::string_view predicate_engine_name(PredicateEngineKind kind) { return kNames[static_cast<size_t>(kind)]; }

std::optional<PredicateEngineKind> predicate_engine_from_name(std::string_view name) {
  auto at = std::ranges::find(kNames, name);
  if (at == kNames.end()) return std::nullopt;
  return static_cast<PredicateEngineKind>(at - kNames.begin());
}

std::unique_ptr<PredicateEngine> make_predicate_engine(PredicateEngineKind kind, PredicateTerms& terms,
                                                       MakeExactEngine make_exact) {
  switch (kind) {
    case PredicateEngineKind::Partition:
      return predicate::make_partition_engine(terms);
    case PredicateEngineKind::Hierarchy:
      return predicate::make_hierarchy_engine(terms);
    case PredicateEngineKind::Exact:
      return make_exact ? make_exact(terms) : nullptr;
    case PredicateEngineKind::Auto:
      break;
  }
  return predicate::make_auto_engine(terms, std::move(make_exact));
}

}  // namespace psi
