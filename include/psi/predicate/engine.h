// The rival engines that answer questions about predicates.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string_view>

#include "psi/predicate/answer.h"
#include "psi/predicate/explanation.h"
#include "psi/predicate/terms.h"

namespace psi {

enum class PredicateEngineKind : uint8_t {
  Partition,  // Johnson and Schlansker 1996: the partition graph
  Hierarchy,  // IMPACT's predicate hierarchy graph: a boolean equation for each predicate
  Exact,      // a solver, in a library of its own: psi/exact/predicates.h
  Auto,       // the partition graph; where it does not know, the solver, or the hierarchy without a solver
};

std::string_view predicate_engine_name(PredicateEngineKind kind);
std::optional<PredicateEngineKind> predicate_engine_from_name(std::string_view name);

// Yes and No are always correct. One engine may know what another does not.
class PredicateEngine {
 public:
  virtual ~PredicateEngine() = default;
  // Are the two disjoint?
  virtual Answer disjoint(Term a, Term b) = 0;
  // Is `inner` contained in `outer`?
  virtual Answer subset(Term inner, Term outer) = 0;
  // The same answer with its reason.
  virtual PredicateExplanation explain(const PredicateQuestion& question) = 0;

  Answer answer(const PredicateQuestion& question) {
    bool is_subset = question.kind == PredicateQuestion::Kind::Subset;
    return is_subset ? subset(question.first, question.second) : disjoint(question.first, question.second);
  }
};

using MakeExactEngine = std::function<std::unique_ptr<PredicateEngine>(PredicateTerms&)>;

// The terms must outlive the engine, which may add some. libpsi has no solver, so `make_exact` provides it:
// without it there is no exact engine, and the result for that kind is null. The automatic engine calls it on
// first use.
std::unique_ptr<PredicateEngine> make_predicate_engine(PredicateEngineKind kind, PredicateTerms& terms,
                                                       MakeExactEngine make_exact = {});

}  // namespace psi
