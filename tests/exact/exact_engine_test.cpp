// The exact engine knows all that is true, within its limit.
#include "predicate_worlds.h"
#include "psi/exact_predicates.h"

namespace psi {
namespace {

using namespace testing;

TEST(ExactEngine, KnowsAllThatIsTrue) {
  EngineScore score = try_engine([](PredicateTerms& terms) { return make_exact_engine(terms, 0); }, 15);
  EXPECT_EQ(score.known, score.true_statements);
  EXPECT_GT(score.true_statements, 1000u);
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

// Forty comparisons in a row.
TEST(ExactEngine, GivesUpAtItsLimit) {
  PredicateTerms terms;
  Term all = Term::always();
  for (ValueNumber i = 0; i < 40; ++i) {
    all = terms.both(all, terms.either(terms.compare(Type::i64, Cond::lt, i, i + 1),
                                       terms.compare(Type::i64, Cond::ult, i + 1, i)));
  }
  Term last = terms.compare(Type::i64, Cond::lt, 0, 40);
  EXPECT_EQ(make_exact_engine(terms, 1)->subset(all, last), Answer::Unknown);
  EXPECT_EQ(make_exact_engine(terms, 0)->subset(all, last), Answer::No);
}

}  // namespace
}  // namespace psi
