// Questions about predicates, and the rivals that answer them.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>

#include "psi/answer.h"
#include "psi/predicate_terms.h"

namespace psi {

enum class PredicateEngineKind : uint8_t {
  Partition,  // Johnson and Schlansker 1996: the partition graph
  Hierarchy,  // IMPACT's predicate hierarchy graph: a boolean equation for each predicate
};

std::string_view predicate_engine_name(PredicateEngineKind kind);
std::optional<PredicateEngineKind> predicate_engine_from_name(std::string_view name);

// Yes and No are always right. What is not known to one engine may be known to another.
class PredicateEngine {
 public:
  virtual ~PredicateEngine() = default;
  // Are the two never true together?
  virtual Answer disjoint(Term a, Term b) = 0;
  // Is `inner` true only where `outer` is?
  virtual Answer subset(Term inner, Term outer) = 0;
};

// The terms must stay while the engine is in use; it may add some.
std::unique_ptr<PredicateEngine> make_predicate_engine(PredicateEngineKind kind, PredicateTerms& terms);

}  // namespace psi
