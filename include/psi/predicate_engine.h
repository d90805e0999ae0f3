// The rivals that answer questions about predicates.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string_view>

#include "psi/answer.h"
#include "psi/predicate_explanation.h"
#include "psi/predicate_terms.h"

namespace psi {

enum class PredicateEngineKind : uint8_t {
  Partition,  // Johnson and Schlansker 1996: the partition graph
  Hierarchy,  // IMPACT's predicate hierarchy graph: a boolean equation for each predicate
  Exact,      // a solver, in a library of its own: psi/exact_predicates.h
  Auto,       // the partition graph; where that does not know, the solver, or the hierarchy if there is none
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
  // The same answer, and why.
  virtual PredicateExplanation explain(const PredicateQuestion& question) = 0;

  Answer answer(const PredicateQuestion& question) {
    bool is_subset = question.kind == PredicateQuestion::Kind::Subset;
    return is_subset ? subset(question.first, question.second) : disjoint(question.first, question.second);
  }
};

using MakeExactEngine = std::function<std::unique_ptr<PredicateEngine>(PredicateTerms&)>;

// The terms must stay while the engine is in use; it may add some. libpsi has no solver, so `make_exact`
// brings it: without, there is no exact engine, and the result for that kind is null. The automatic engine
// calls it when it first needs it, if ever.
std::unique_ptr<PredicateEngine> make_predicate_engine(PredicateEngineKind kind, PredicateTerms& terms,
                                                       MakeExactEngine make_exact = {});

}  // namespace psi
