// Questions about the predicates of a program, with the truth.
#pragma once

#include <vector>

#include "program_truth.h"
#include "psi/predicate/engine.h"
#include "testing/random.h"

namespace psi::soak {

struct Question {
  bool asks_subset = false;  // or whether the two are disjoint
  Term left;
  Term right;
  bool is_true = false;
  std::string text;

  Answer ask(PredicateEngine& engine) const {
    return asks_subset ? engine.subset(left, right) : engine.disjoint(left, right);
  }
};

// All pairs, or a sample of them. With `compound`, also about sums, negations and conjunctions.
std::vector<Question> make_questions(std::span<const KnownPredicate> known, bool compound,
                                     PredicateTerms& terms, Random& random);

}  // namespace psi::soak
