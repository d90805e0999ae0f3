// The engines, against all values that the conditions can have.
#include "psi/predicate_engine.h"

#include "predicate_worlds.h"

namespace psi {
namespace {

using namespace testing;

TEST(PredicateTerms, SimplifyToWhatTheyMean) {
  std::mt19937 random(3);
  for (int round = 0; round < 40; ++round) {
    PredicateTerms terms;
    Truth truth(terms);
    std::vector<Term> all;
    for (int i = 0; i < 6; ++i) all.push_back(random_condition(terms, random));
    for (int i = 0; i < 20; ++i) {
      Term a = all[random() % all.size()], b = all[random() % all.size()];
      if (random() % 2) a = !a;
      if (random() % 2) b = !b;
      Term both = terms.both(a, b), either = terms.either(a, b);
      ASSERT_EQ(truth.of(both), truth.of(a) & truth.of(b));
      ASSERT_EQ(truth.of(either), truth.of(a) | truth.of(b));
      if (terms.excludes(a, b)) {
        ASSERT_TRUE((truth.of(a) & truth.of(b)).none());
      }
      all.push_back(random() % 2 ? both : either);
    }
  }
}

TEST(PredicateEngine, AnswersAreRight) {
  for (PredicateEngineKind kind : {PredicateEngineKind::Partition, PredicateEngineKind::Hierarchy}) {
    EXPECT_EQ(predicate_engine_from_name(predicate_engine_name(kind)), kind);
    EngineScore score =
        try_engine([&](PredicateTerms& terms) { return make_predicate_engine(kind, terms); }, 60);
    EXPECT_GT(score.known, score.true_statements * 9 / 10) << predicate_engine_name(kind);
  }
}

}  // namespace
}  // namespace psi
