// An engine on trial: random terms, and all that can be asked about them.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <random>
#include <vector>

#include "iterations.h"
#include "predicate_proofs.h"
#include "predicate_worlds.h"
#include "psi/predicate/engine.h"

namespace psi::testing {

struct EngineScore {
  uint64_t true_statements = 0;
  uint64_t known = 0;  // of these
  uint64_t false_statements = 0;
  uint64_t refuted = 0;  // of these
};

struct Trial {
  int iterations = testing::iterations(60);
  int num_conditions = 5;
  int num_terms = 12;  // besides
  uint32_t seed = 4;
};

// Asks an engine about random terms. Every answer must be right, and every explanation hold.
inline EngineScore try_engine(const MakeExactEngine& make, const Trial& trial) {
  std::mt19937 random(trial.seed);
  EngineScore score;
  for (int iteration = 0; iteration < trial.iterations; ++iteration) {
    SCOPED_TRACE(iteration);
    PredicateTerms terms;
    Truth truth(terms);
    std::vector<Term> all;
    for (int i = 0; i < trial.num_conditions; ++i) all.push_back(random_condition(terms, random));
    for (int i = 0; i < trial.num_terms; ++i) {
      Term a = all[random() % all.size()], b = all[random() % all.size()];
      if (random() % 2) a = !a;
      all.push_back(random() % 2 ? terms.both(a, b) : terms.either(a, b));
    }
    std::unique_ptr<PredicateEngine> engine = make(terms);
    auto ask = [&](const PredicateQuestion& question, bool is_true) {
      Answer answer = engine->answer(question);
      if (answer != Answer::Unknown) {
        EXPECT_EQ(answer == Answer::Yes, is_true);
      }
      score.true_statements += is_true;
      score.false_statements += !is_true;
      score.known += answer == Answer::Yes;
      score.refuted += answer == Answer::No;
      PredicateExplanation explanation = engine->explain(question);
      EXPECT_EQ(explanation.answer, answer);
      check_explanation(terms, truth, question, explanation);
    };
    for (Term a : all) {
      for (Term b : all) {
        ask({PredicateQuestion::Kind::Disjoint, a, b}, (truth.of(a) & truth.of(b)).none());
        ask({PredicateQuestion::Kind::Subset, a, b}, (truth.of(a) & ~truth.of(b)).none());
      }
    }
  }
  return score;
}

}  // namespace psi::testing
