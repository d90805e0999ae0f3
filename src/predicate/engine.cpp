#include <array>

#include "predicate/engines.h"

namespace psi {
namespace {

struct Entry {
  PredicateEngineKind kind;
  std::string_view name;
  std::unique_ptr<PredicateEngine> (*make)(PredicateTerms&);
};

constexpr std::array<Entry, 2> kTable = {{
    {PredicateEngineKind::Partition, "partition", predicate::make_partition_engine},
    {PredicateEngineKind::Hierarchy, "hierarchy", predicate::make_hierarchy_engine},
}};

}  // namespace

std::string_view predicate_engine_name(PredicateEngineKind kind) {
  return kTable[static_cast<size_t>(kind)].name;
}

std::optional<PredicateEngineKind> predicate_engine_from_name(std::string_view name) {
  for (const Entry& entry : kTable) {
    if (entry.name == name) return entry.kind;
  }
  return std::nullopt;
}

std::unique_ptr<PredicateEngine> make_predicate_engine(PredicateEngineKind kind, PredicateTerms& terms) {
  return kTable[static_cast<size_t>(kind)].make(terms);
}

}  // namespace psi
