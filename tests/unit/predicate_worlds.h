// Terms over conditions on small values, and all that these values can be.
#pragma once

#include <bitset>
#include <iterator>
#include <random>
#include <vector>

#include "psi/predicate/terms.h"

namespace psi::testing {

// Values 0 and 1 are numbers of eight bits, 2 is a bit; all that they can be.
constexpr int kNumbers = 256;
constexpr int kWorlds = kNumbers * kNumbers * 2;
using Worlds = std::bitset<kWorlds>;

inline int8_t number(int world) { return static_cast<int8_t>(world % kNumbers); }
inline int8_t other(int world) { return static_cast<int8_t>(world / kNumbers % kNumbers); }
inline bool bit(int world) { return world / (kNumbers * kNumbers) != 0; }

inline bool holds(const Condition& condition, int world) {
  switch (condition.kind) {
    case Condition::Kind::Bit:
      return bit(world);
    case Condition::Kind::Range: {
      int value = condition.left == 0 ? number(world) : other(world);
      return condition.low <= value && value <= condition.high;
    }
    case Condition::Kind::Pair: {
      int a = number(world), b = other(world);
      uint8_t outcome = Condition::Equal;
      if (a != b) {
        bool less = a < b, below = static_cast<uint8_t>(a) < static_cast<uint8_t>(b);
        outcome = less ? (below ? Condition::LessLess : Condition::LessGreater)
                       : (below ? Condition::GreaterLess : Condition::GreaterGreater);
      }
      return condition.outcomes & outcome;
    }
  }
  return false;
}

class Truth {
 public:
  explicit Truth(const PredicateTerms& terms) : terms_(terms) {}
  Worlds of(Term term) {
    for (uint32_t node = static_cast<uint32_t>(known_.size()); node <= term.node(); ++node) {
      Term positive = Term::of_node(node);
      Worlds worlds;
      if (terms_.kind(positive) == PredicateTerms::Kind::Both) {
        worlds = value(terms_.first(positive)) & value(terms_.second(positive));
      } else {
        for (int world = 0; world < kWorlds; ++world) {
          worlds[static_cast<size_t>(world)] = terms_.kind(positive) == PredicateTerms::Kind::Always ||
                                               holds(terms_.condition(positive), world);
        }
      }
      known_.push_back(worlds);
    }
    return value(term);
  }

 private:
  Worlds value(Term term) const { return term.is_negated() ? ~known_[term.node()] : known_[term.node()]; }
  const PredicateTerms& terms_;
  std::vector<Worlds> known_;  // by node
};

inline constexpr Cond kIntConds[] = {Cond::eq, Cond::ne,  Cond::lt,  Cond::le,  Cond::gt,
                                     Cond::ge, Cond::ult, Cond::ule, Cond::ugt, Cond::uge};

inline Term random_condition(PredicateTerms& terms, std::mt19937& random) {
  Cond cond = kIntConds[random() % std::size(kIntConds)];
  switch (random() % 4) {
    case 0:
      return terms.bit(2);
    case 1:
      return random() % 2 ? terms.compare(Type::i8, cond, 0, 1) : terms.compare(Type::i8, cond, 1, 0);
    default: {
      constexpr int kConstants[] = {-128, -127, -3, -1, 0, 1, 2, 5, 90, 126, 127};
      return terms.compare_with_constant(Type::i8, cond, random() % 4 == 0,
                                         static_cast<uint8_t>(kConstants[random() % std::size(kConstants)]));
    }
  }
}

}  // namespace psi::testing
