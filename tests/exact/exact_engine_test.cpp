// The exact engine knows all, within its limit, and with it the automatic one.
#include "predicate_trial.h"
#include "psi/exact/predicates.h"

namespace psi {
namespace {

using namespace testing;

TEST(ExactEngine, KnowsAll) {
  EngineScore score =
      try_engine([](PredicateTerms& terms) { return make_exact_engine(terms, 0); }, {.iterations = 15});
  EXPECT_EQ(score.known, score.true_statements);
  EXPECT_EQ(score.refuted, score.false_statements);
  EXPECT_GT(score.true_statements, 1000u);
}

TEST(AutoEngine, KnowsAllThatTheExactOneKnows) {
  auto make_exact = [](PredicateTerms& terms) { return make_exact_engine(terms, 0); };
  EngineScore score = try_engine(
      [&](PredicateTerms& terms) {
        return make_predicate_engine(PredicateEngineKind::Auto, terms, make_exact);
      },
      {.iterations = 10});
  EXPECT_EQ(score.known, score.true_statements);
  EXPECT_EQ(score.refuted, score.false_statements);
}

// Through values in common: a < b and b < c give a < c, which no engine sees that looks at pairs only.
TEST(ExactEngine, SeesWhatFollows) {
  PredicateTerms terms;
  Term a_b = terms.compare(Type::i32, Cond::lt, 0, 1), b_c = terms.compare(Type::i32, Cond::lt, 1, 2);
  Term a_c = terms.compare(Type::i32, Cond::lt, 0, 2);
  std::unique_ptr<PredicateEngine> exact = make_exact_engine(terms);
  EXPECT_EQ(exact->subset(terms.both(a_b, b_c), a_c), Answer::Yes);
  EXPECT_EQ(exact->subset(a_b, a_c), Answer::No);
  for (PredicateEngineKind kind : {PredicateEngineKind::Partition, PredicateEngineKind::Hierarchy}) {
    EXPECT_EQ(make_predicate_engine(kind, terms)->subset(terms.both(a_b, b_c), a_c), Answer::Unknown);
  }
}

// Not a number is neither less, nor equal, nor greater.
TEST(ExactEngine, FloatingPoint) {
  PredicateTerms terms;
  Term less = terms.compare(Type::f64, Cond::folt, 0, 1),
       not_less = terms.compare(Type::f64, Cond::fuge, 0, 1);
  Term equal = terms.compare(Type::f64, Cond::foeq, 0, 0),
       unordered = terms.compare(Type::f64, Cond::funo, 0, 1);
  std::unique_ptr<PredicateEngine> exact = make_exact_engine(terms);
  EXPECT_EQ(exact->disjoint(less, not_less), Answer::Yes);
  EXPECT_EQ(exact->subset(less, equal), Answer::Yes);
  EXPECT_EQ(exact->subset(Term::always(), equal), Answer::No);
  EXPECT_EQ(exact->subset(unordered, not_less), Answer::Yes);
  EXPECT_EQ(exact->subset(!equal, unordered), Answer::Yes);
}

// Twenty comparisons in a row.
TEST(ExactEngine, GivesUpAtItsLimit) {
  PredicateTerms terms;
  Term all = Term::always();
  for (ValueNumber i = 0; i < 20; ++i) {
    all = terms.both(all, terms.either(terms.compare(Type::i64, Cond::lt, i, i + 1),
                                       terms.compare(Type::i64, Cond::ult, i + 1, i)));
  }
  Term last = terms.compare(Type::i64, Cond::lt, 0, 20);
  PredicateQuestion question = {PredicateQuestion::Kind::Subset, all, last};
  auto with_limit = [&](PredicateEngineKind kind, uint32_t limit) {
    return make_predicate_engine(kind, terms, [=](PredicateTerms& t) { return make_exact_engine(t, limit); });
  };
  for (PredicateEngineKind kind : {PredicateEngineKind::Exact, PredicateEngineKind::Auto}) {
    std::unique_ptr<PredicateEngine> hasty = with_limit(kind, 1), patient = with_limit(kind, 0);
    EXPECT_EQ(hasty->answer(question), Answer::Unknown);
    EXPECT_EQ(hasty->explain(question).answer, Answer::Unknown);
    EXPECT_EQ(patient->answer(question), Answer::No);
    PredicateExplanation explanation = patient->explain(question);
    EXPECT_EQ(explanation.engine, PredicateEngineKind::Exact);
    check_witness(terms, question, explanation.witness);
  }
}

}  // namespace
}  // namespace psi
