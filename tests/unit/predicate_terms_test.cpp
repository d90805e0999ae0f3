#include <gtest/gtest.h>

#include <array>
#include <bitset>
#include <cmath>
#include <limits>

#include "iterations.h"
#include "predicate_testing.h"
#include "psi/predicate/terms.h"
#include "testing/random.h"

namespace psi {
namespace {

using testing::holds;

constexpr ValueNumber kX = 0, kY = 1, kP = 2;

bool compares(Cond cond, uint8_t left, uint8_t right) {
  auto a = static_cast<int8_t>(left), b = static_cast<int8_t>(right);
  switch (cond) {
    case Cond::eq:
      return left == right;
    case Cond::ne:
      return left != right;
    case Cond::lt:
      return a < b;
    case Cond::le:
      return a <= b;
    case Cond::gt:
      return a > b;
    case Cond::ge:
      return a >= b;
    case Cond::ult:
      return left < right;
    case Cond::ule:
      return left <= right;
    case Cond::ugt:
      return left > right;
    default:
      return left >= right;
  }
}

Cond int_cond(uint32_t index) { return static_cast<Cond>(index); }

// --- Conditions -----------------------------------------------------------------------------------------

TEST(PredicateTerms, EveryCompareWithEveryConstant) {
  PredicateTerms terms;
  for (uint32_t c = 0; c < kNumIntConds; ++c) {
    for (uint32_t constant = 0; constant < 256; ++constant) {
      Term term = terms.compare_with_constant(Type::i8, int_cond(c), kX, constant);
      for (uint32_t x = 0; x < 256; ++x) {
        bool expected = compares(int_cond(c), static_cast<uint8_t>(x), static_cast<uint8_t>(constant));
        bool condition = term.is_constant() || holds(terms.condition(term), [&](ValueNumber) { return x; });
        ASSERT_EQ(condition != term.is_negated(), expected)
            << x << " " << cond_name(int_cond(c)) << " " << constant;
      }
    }
  }
}

TEST(PredicateTerms, EveryCompareOfTwoValues) {
  PredicateTerms terms;
  for (uint32_t c = 0; c < kNumIntConds; ++c) {
    Term term = terms.compare(Type::i8, int_cond(c), kX, kY);
    EXPECT_EQ(terms.compare(Type::i8, swap_operands(int_cond(c)), kY, kX), term);
    EXPECT_EQ(terms.compare(Type::i8, negate(int_cond(c)), kX, kY), !term);
    for (uint32_t x = 0; x < 256; ++x) {
      for (uint32_t y = 0; y < 256; ++y) {
        bool condition = holds(terms.condition(term), [&](ValueNumber n) { return n == kX ? x : y; });
        ASSERT_EQ(condition != term.is_negated(),
                  compares(int_cond(c), static_cast<uint8_t>(x), static_cast<uint8_t>(y)));
      }
    }
    bool reflexive = compares(int_cond(c), 1, 1);
    EXPECT_EQ(terms.compare(Type::i8, int_cond(c), kX, kX), reflexive ? Term::always() : Term::never());
  }
}

TEST(PredicateTerms, EveryCompareOfFloats) {
  PredicateTerms terms;
  double nan = std::numeric_limits<double>::quiet_NaN(), inf = std::numeric_limits<double>::infinity();
  auto compares_floats = [](Cond cond, double a, double b) {
    bool unordered = std::isnan(a) || std::isnan(b);
    switch (cond) {
      case Cond::foeq:
        return a == b;
      case Cond::fone:
        return !unordered && a != b;
      case Cond::folt:
        return a < b;
      case Cond::fole:
        return a <= b;
      case Cond::fogt:
        return a > b;
      case Cond::foge:
        return a >= b;
      case Cond::ford:
        return !unordered;
      case Cond::fueq:
        return unordered || a == b;
      case Cond::fune:
        return a != b;
      case Cond::fult:
        return !(a >= b);
      case Cond::fule:
        return !(a > b);
      case Cond::fugt:
        return !(a <= b);
      case Cond::fuge:
        return !(a < b);
      default:
        return unordered;
    }
  };
  for (int c = kNumIntConds; c < kNumConds; ++c) {
    Cond cond = static_cast<Cond>(c);
    Term term = terms.compare(Type::f64, cond, kX, kY), self = terms.compare(Type::f64, cond, kX, kX);
    EXPECT_EQ(terms.compare(Type::f64, swap_operands(cond), kY, kX), term);
    EXPECT_EQ(terms.compare(Type::f64, negate(cond), kX, kY), !term);
    for (double x : {-inf, -1.0, -0.0, 0.0, 2.5, inf, nan}) {
      for (double y : {-inf, -1.0, -0.0, 0.0, 2.5, inf, nan}) {
        auto value = [&](ValueNumber n) { return std::bit_cast<uint64_t>(n == kX ? x : y); };
        EXPECT_EQ(holds(terms, term, value), compares_floats(cond, x, y)) << x << cond_name(cond) << y;
      }
      auto value = [&](ValueNumber) { return std::bit_cast<uint64_t>(x); };
      EXPECT_EQ(holds(terms, self, value), compares_floats(cond, x, x)) << x << cond_name(cond);
    }
  }
}

// --- Simplification -------------------------------------------------------------------------------------

TEST(PredicateTerms, ConditionsOnOneValueAreSeenTogether) {
  PredicateTerms terms;
  auto x = [&](Cond cond, int64_t constant) {
    return terms.compare_with_constant(Type::i8, cond, kX, static_cast<uint64_t>(constant));
  };
  EXPECT_EQ(terms.both(x(Cond::eq, 1), x(Cond::eq, 2)), Term::never());
  EXPECT_EQ(terms.both(x(Cond::lt, 3), x(Cond::lt, 7)), x(Cond::lt, 3));
  EXPECT_EQ(terms.either(x(Cond::lt, 3), x(Cond::lt, 7)), x(Cond::lt, 7));
  EXPECT_EQ(terms.either(x(Cond::lt, 3), x(Cond::eq, 3)), x(Cond::le, 3));
  EXPECT_EQ(terms.either(x(Cond::lt, 3), x(Cond::ge, 0)), Term::always());
  EXPECT_EQ(terms.both(x(Cond::ge, 0), x(Cond::lt, 10)), x(Cond::ult, 10));
  Term less = terms.compare(Type::i8, Cond::lt, kX, kY), equal = terms.compare(Type::i8, Cond::eq, kX, kY);
  EXPECT_EQ(terms.either(less, equal), terms.compare(Type::i8, Cond::le, kX, kY));
  EXPECT_EQ(terms.both(less, equal), Term::never());
  // Also when another condition was met in between.
  Term p = terms.bit(kP);
  EXPECT_EQ(terms.both(terms.both(x(Cond::gt, 3), p), x(Cond::lt, 10)),
            terms.both(terms.both(x(Cond::gt, 3), x(Cond::lt, 10)), p));
  EXPECT_EQ(terms.both(terms.both(x(Cond::gt, 3), p), x(Cond::lt, 3)), Term::never());
}

TEST(PredicateTerms, PathsThatSplitMeetAgain) {
  PredicateTerms terms;
  Term p = terms.bit(kP), q = terms.both(terms.bit(3), terms.bit(4));
  EXPECT_EQ(terms.choose(p, q, q), q);
  EXPECT_EQ(terms.either(terms.both(q, p), terms.both(!p, q)), q);
  Term low = terms.compare_with_constant(Type::i8, Cond::lt, kX, 3);
  Term middle = terms.both(!low, terms.compare_with_constant(Type::i8, Cond::lt, kX, 9));
  EXPECT_EQ(terms.either(terms.both(q, low), terms.both(q, middle)),
            terms.both(q, terms.compare_with_constant(Type::i8, Cond::lt, kX, 9)));
}

// Random terms over an i8, compared with constants and with another one, and a bit: each is the function that
// it was made as, for all values.
TEST(PredicateTerms, SimplificationKeepsTheFunction) {
  constexpr std::array<uint8_t, 5> kYs = {0, 1, 7, 127, 200};
  constexpr size_t kAssignments = 256 * kYs.size() * 2;
  using Function = std::bitset<kAssignments>;
  auto value = [&](size_t assignment, ValueNumber n) -> uint64_t {
    if (n == kX) return assignment % 256;
    return n == kY ? kYs[assignment / 256 % kYs.size()] : assignment / 256 / kYs.size();
  };
  for (uint64_t seed = 0; seed < testing::iterations(200u); ++seed) {
    Random random(seed);
    PredicateTerms terms;
    std::vector<Term> made = {Term::always()};
    std::vector<Function> expected = {Function().set()};
    for (int step = 0; step < 60; ++step) {
      Term term;
      Function function;
      size_t i = random.below(static_cast<uint32_t>(made.size()));
      size_t j = random.below(static_cast<uint32_t>(made.size()));
      size_t k = random.below(static_cast<uint32_t>(made.size()));
      Cond cond = int_cond(random.below(kNumIntConds));
      uint32_t what = random.below(8);
      if (what == 0) {
        // Small numbers and the ends of the ranges meet more often.
        auto constant = random.coin() ? static_cast<uint8_t>(random.next())
                                      : random.one_of<uint8_t>({0, 1, 2, 3, 126, 127, 128, 129, 254, 255});
        term = terms.compare_with_constant(Type::i8, cond, kX, constant);
        for (size_t a = 0; a < kAssignments; ++a) {
          function[a] = compares(cond, static_cast<uint8_t>(value(a, kX)), constant);
        }
      } else if (what == 1) {
        term = terms.compare(Type::i8, cond, kY, kX);
        for (size_t a = 0; a < kAssignments; ++a) {
          function[a] =
              compares(cond, static_cast<uint8_t>(value(a, kY)), static_cast<uint8_t>(value(a, kX)));
        }
      } else if (what == 2) {
        term = terms.bit(kP);
        for (size_t a = 0; a < kAssignments; ++a) function[a] = value(a, kP);
      } else if (what == 3) {
        term = !made[i];
        function = ~expected[i];
      } else if (what == 4) {
        term = terms.either(made[i], made[j]);
        function = expected[i] | expected[j];
      } else if (what == 5) {
        term = terms.choose(made[i], made[j], made[k]);
        function = (expected[i] & expected[j]) | (~expected[i] & expected[k]);
      } else {
        term = terms.both(made[i], made[j]);
        ASSERT_EQ(terms.both(made[j], made[i]), term) << "seed " << seed << ", step " << step;
        function = expected[i] & expected[j];
      }
      made.push_back(term);
      expected.push_back(function);
    }
    // Parts have smaller numbers than what is made of them.
    std::vector<Function> nodes(terms.num_nodes());
    auto function_of = [&](Term term) {
      return term.is_negated() ? ~nodes[term.node()] : nodes[term.node()];
    };
    nodes[0].set();
    for (uint32_t n = 1; n < terms.num_nodes(); ++n) {
      Term term = Term::of_node(n);
      if (terms.kind(term) == PredicateTerms::Kind::Both) {
        nodes[n] = function_of(terms.first(term)) & function_of(terms.second(term));
        continue;
      }
      for (size_t a = 0; a < kAssignments; ++a) {
        nodes[n][a] = holds(terms.condition(term), [&](ValueNumber v) { return value(a, v); });
      }
    }
    for (size_t i = 0; i < made.size(); ++i) {
      ASSERT_EQ(function_of(made[i]), expected[i]) << "seed " << seed << ", term " << i;
    }
  }
}

}  // namespace
}  // namespace psi
