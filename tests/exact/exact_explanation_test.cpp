// What the exact engine says besides yes and no, for values of all types.
#include <cmath>

#include "predicate_proofs.h"
#include "psi/exact/predicates.h"

namespace psi {
namespace {

using namespace testing;
using Kind = PredicateQuestion::Kind;

constexpr Type kTypes[] = {Type::i1,  Type::i8,  Type::i16, Type::i32,
                           Type::i64, Type::f32, Type::f64, Type::ptr};
constexpr Cond kFloatConds[] = {Cond::foeq, Cond::fone, Cond::folt, Cond::fole, Cond::fogt,
                                Cond::foge, Cond::ford, Cond::fueq, Cond::fune, Cond::fult,
                                Cond::fule, Cond::fugt, Cond::fuge, Cond::funo};

// There are four values of each type.
Term random_condition_of(Type type, PredicateTerms& terms, std::mt19937& random) {
  auto value = [&] { return static_cast<ValueNumber>(static_cast<unsigned>(type) * 4 + random() % 4); };
  if (is_float(type)) {
    return terms.compare(type, kFloatConds[random() % std::size(kFloatConds)], value(), value());
  }
  Cond cond = kIntConds[random() % std::size(kIntConds)];
  if (random() % 2) return terms.compare(type, cond, value(), value());
  uint64_t bits = random() % 2 ? random() % 3 : ~uint64_t{random() % 3};
  if (random() % 4 == 0) bits = uint64_t{1} << (bit_width(type) - 1);
  return terms.compare_with_constant(type, cond, value(), bits & value_mask(type));
}

TEST(ExactExplanation, WitnessesOfAllTypes) {
  std::mt19937 random(7);
  uint64_t num_refuted = 0;
  for (Type type : kTypes) {
    SCOPED_TRACE(type_name(type));
    for (int iteration = 0; iteration < 8; ++iteration) {
      PredicateTerms terms;
      Term a = Term::always(), b = Term::always();
      for (int i = 0; i < 3; ++i) {
        // Also conditions on values of another type.
        Type other = random() % 4 ? type : kTypes[random() % std::size(kTypes)];
        a = terms.both(a, terms.either(random_condition_of(type, terms, random),
                                       random_condition_of(other, terms, random)));
        b = terms.either(b == Term::always() ? Term::never() : b, random_condition_of(type, terms, random));
      }
      std::unique_ptr<PredicateEngine> exact = make_exact_engine(terms, 0);
      for (Kind kind : {Kind::Disjoint, Kind::Subset}) {
        PredicateQuestion question = {kind, a, b};
        PredicateExplanation explanation = exact->explain(question);
        EXPECT_EQ(explanation.engine, PredicateEngineKind::Exact);
        ASSERT_NE(explanation.answer, Answer::Unknown);
        if (explanation.answer == Answer::Yes) continue;
        ++num_refuted;
        check_witness(terms, question, explanation.witness);
      }
    }
  }
  EXPECT_GT(num_refuted, 50u);
}

// Only what is not a number differs from itself.
TEST(ExactExplanation, NotANumber) {
  for (Type type : {Type::f32, Type::f64}) {
    PredicateTerms terms;
    Term equal = terms.compare(type, Cond::foeq, 5, 5);
    PredicateQuestion question = {Kind::Subset, Term::always(), equal};
    PredicateExplanation explanation = make_exact_engine(terms)->explain(question);
    ASSERT_EQ(explanation.witness.size(), 1u);
    EXPECT_EQ(explanation.witness[0].number, 5u);
    EXPECT_TRUE(std::isnan(as_double(explanation.witness[0].bits, type)));
    check_witness(terms, question, explanation.witness);
  }
}

TEST(ExactExplanation, WideIntegers) {
  for (Type type : {Type::i64, Type::ptr}) {
    PredicateTerms terms;
    Term large = terms.compare_with_constant(type, Cond::ugt, 0, 0x8000'0000'0000'0000);
    Term next = terms.compare_with_constant(type, Cond::ult, 0, 0x8000'0000'0000'0002);
    PredicateQuestion question = {Kind::Disjoint, large, next};
    PredicateExplanation explanation = make_exact_engine(terms)->explain(question);
    EXPECT_EQ(explanation.witness, (Witness{{0, type, 0x8000'0000'0000'0001}}));
  }
}

// Of many conditions, those that cannot hold together.
TEST(ExactExplanation, ConflictLeavesOutWhatDoesNotMatter) {
  PredicateTerms terms;
  Term all = Term::always();
  std::vector<Term> less;
  for (ValueNumber i = 0; i < 10; ++i) {
    less.push_back(terms.compare(Type::i32, Cond::lt, i, i + 1));
    all = terms.both(all, less.back());
  }
  Term not_less = terms.compare(Type::i32, Cond::ge, 2, 4);
  PredicateExplanation explanation = make_exact_engine(terms)->explain({Kind::Disjoint, all, not_less});
  EXPECT_EQ(explanation.answer, Answer::Yes);
  ASSERT_EQ(explanation.proof.size(), 1u);
  EXPECT_EQ(explanation.proof[0].rule, ProofStep::Rule::Conflict);
  EXPECT_EQ(explanation.proof[0].parts, (std::vector{less[2], less[3], not_less}));
}

}  // namespace
}  // namespace psi
