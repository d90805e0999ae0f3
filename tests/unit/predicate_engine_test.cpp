// The engines, against all values that the conditions can have.
#include "predicate_trial.h"
#include "psi/predicate/engine.h"

namespace psi {
namespace {

using namespace testing;

TEST(PredicateTerms, SimplifyToWhatTheyMean) {
  std::mt19937 random(3);
  for (int iteration = 0; iteration < 40; ++iteration) {
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

TEST(PredicateEngine, Names) {
  for (PredicateEngineKind kind : {PredicateEngineKind::Partition, PredicateEngineKind::Hierarchy,
                                   PredicateEngineKind::Exact, PredicateEngineKind::Auto}) {
    EXPECT_EQ(predicate_engine_from_name(predicate_engine_name(kind)), kind);
  }
  EXPECT_EQ(predicate_engine_from_name("oracle"), std::nullopt);
}

TEST(PredicateEngine, AnswersAreRightAndExplained) {
  for (PredicateEngineKind kind :
       {PredicateEngineKind::Partition, PredicateEngineKind::Hierarchy, PredicateEngineKind::Auto}) {
    SCOPED_TRACE(predicate_engine_name(kind));
    EngineScore score =
        try_engine([&](PredicateTerms& terms) { return make_predicate_engine(kind, terms); }, {});
    EXPECT_GT(score.known, score.true_statements * 9 / 10);
    EXPECT_EQ(score.refuted > 0, kind != PredicateEngineKind::Partition);
  }
}

// Up to many more symbols than the partition graph keeps as words.
TEST(PredicateEngine, AnswersAreRightAndExplainedInGraphsOfAllSizes) {
  EngineScore score;
  for (Trial trial : {Trial{4, 4, 8, 104}, {4, 5, 16, 104}, {3, 8, 20, 104}, {2, 10, 50, 104}}) {
    SCOPED_TRACE(trial.num_terms);
    EngineScore own = try_engine(
        [](PredicateTerms& terms) { return make_predicate_engine(PredicateEngineKind::Partition, terms); },
        trial);
    score.true_statements += own.true_statements;
    score.known += own.known;
  }
  EXPECT_GT(score.known, score.true_statements * 8 / 10);
}

// What the automatic engine asks the exact one, which answers nothing.
class Silent : public PredicateEngine {
 public:
  explicit Silent(int& questions) : questions_(questions) {}
  Answer disjoint(Term, Term) override { return ask(); }
  Answer subset(Term, Term) override { return ask(); }
  PredicateExplanation explain(const PredicateQuestion&) override { return {ask(), {}, {}, {}}; }

 private:
  Answer ask() {
    ++questions_;
    return Answer::Unknown;
  }
  int& questions_;
};

TEST(PredicateEngine, AutoMakesAnExactEngineOnceAndWhenItNeedsIt) {
  PredicateTerms terms;
  Term a = terms.bit(0), b = terms.bit(1);
  int made = 0, questions = 0;
  std::unique_ptr<PredicateEngine> engine =
      make_predicate_engine(PredicateEngineKind::Auto, terms, [&](PredicateTerms&) {
        ++made;
        return std::make_unique<Silent>(questions);
      });
  EXPECT_EQ(engine->disjoint(a, !a), Answer::Yes);
  EXPECT_EQ(engine->subset(terms.both(a, b), b), Answer::Yes);
  EXPECT_EQ(engine->explain({PredicateQuestion::Kind::Disjoint, a, !a}).engine,
            PredicateEngineKind::Partition);
  EXPECT_EQ(made, 0);
  EXPECT_EQ(engine->disjoint(a, b), Answer::Unknown);
  EXPECT_EQ(engine->subset(a, b), Answer::Unknown);
  EXPECT_EQ(engine->explain({PredicateQuestion::Kind::Subset, a, b}).answer, Answer::Unknown);
  EXPECT_EQ(made, 1);
  EXPECT_EQ(questions, 3);
}

TEST(PredicateEngine, WithoutASolver) {
  PredicateTerms terms;
  Term a = terms.bit(0), b = terms.bit(1);
  EXPECT_EQ(make_predicate_engine(PredicateEngineKind::Exact, terms), nullptr);
  for (const MakeExactEngine& make_exact :
       {MakeExactEngine(), MakeExactEngine([](PredicateTerms&) { return nullptr; })}) {
    std::unique_ptr<PredicateEngine> engine =
        make_predicate_engine(PredicateEngineKind::Auto, terms, make_exact);
    PredicateExplanation explanation = engine->explain({PredicateQuestion::Kind::Disjoint, a, b});
    EXPECT_EQ(explanation.answer, Answer::No);
    EXPECT_EQ(explanation.engine, PredicateEngineKind::Hierarchy);
    EXPECT_EQ(explanation.witness, (Witness{{0, Type::i1, 1}, {1, Type::i1, 1}}));
  }
}

}  // namespace
}  // namespace psi
