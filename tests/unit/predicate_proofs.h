// Explanations, checked: proofs step by step against all worlds, witnesses by what terms say of them.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "predicate_testing.h"
#include "predicate_worlds.h"
#include "psi/predicate/explanation.h"

namespace psi::testing {

class ProofCheck {
 public:
  ProofCheck(const PredicateTerms& terms, Truth& truth, const std::vector<ProofStep>& proof)
      : terms_(terms), truth_(truth), proof_(proof) {}

  // Does it show the statement, without a step too many?
  void run(const PredicateQuestion& question) {
    ASSERT_FALSE(proof_.empty());
    EXPECT_EQ(proof_.back().shows, question);
    std::set<uint32_t> used{static_cast<uint32_t>(proof_.size()) - 1};
    for (uint32_t i = 0; i < proof_.size(); ++i) {
      step_ = &proof_[i];
      used_ = {};
      for (uint32_t from : step_->from) ASSERT_LT(from, i);
      EXPECT_TRUE(is_true(step_->shows)) << describe(i);
      EXPECT_TRUE(follows()) << describe(i);
      EXPECT_EQ(used_.size(), step_->from.size()) << describe(i);
      used.insert(used_.begin(), used_.end());
    }
    EXPECT_EQ(used.size(), proof_.size());
  }

 private:
  using Kind = PredicateQuestion::Kind;
  using Rule = ProofStep::Rule;

  std::string describe(uint32_t i) const {
    return "step " + std::to_string(i) + ", rule " + std::to_string(static_cast<int>(step_->rule));
  }

  bool is_true(const PredicateQuestion& question) {
    Worlds second = truth_.of(question.second);
    if (question.kind == Kind::Subset) second.flip();
    return (truth_.of(question.first) & second).none();
  }
  bool is_sum() {
    Worlds all;
    for (Term part : step_->parts) all |= truth_.of(part);
    return all == truth_.of(step_->whole);
  }
  bool is_partition() {
    size_t count = 0;
    for (Term part : step_->parts) count += truth_.of(part).count();
    return is_sum() && count == truth_.of(step_->whole).count();
  }
  bool is_part(Term term) const { return std::ranges::count(step_->parts, term) > 0; }

  // Is the statement plain, or one that the step rests on?
  bool has(Kind kind, Term first, Term second) {
    if (kind == Kind::Subset && (first == second || second == Term::always())) return true;
    for (uint32_t from : step_->from) {
      const PredicateQuestion& known = proof_[from].shows;
      bool is_same = known == PredicateQuestion{kind, first, second};
      if (kind == Kind::Disjoint) is_same |= known == PredicateQuestion{kind, second, first};
      if (!is_same) continue;
      used_.insert(from);
      return true;
    }
    return false;
  }
  bool has_all(Kind kind, Term other) {
    return std::ranges::all_of(step_->parts, [&](Term part) { return has(kind, part, other); });
  }
  bool has_through(Kind kind, Term first, Term second) {
    return std::ranges::any_of(step_->from, [&](uint32_t from) {
      const PredicateQuestion& known = proof_[from].shows;
      if (known.kind != Kind::Subset || known.first != first || !has(kind, known.second, second))
        return false;
      return has(Kind::Subset, first, known.second);
    });
  }

  bool follows() {
    auto [kind, first, second] = step_->shows;
    bool is_subset = kind == Kind::Subset;
    switch (step_->rule) {
      case Rule::Never:
        return first == Term::never() || (!is_subset && second == Term::never());
      case Rule::Always:
        return is_subset && second == Term::always();
      case Rule::Same:
        return is_subset && first == second;
      case Rule::Part:
        return is_subset && is_partition() && is_part(first) && has(Kind::Subset, step_->whole, second);
      case Rule::LastPart:
        return is_subset && is_partition() && is_part(second) && has(Kind::Subset, first, step_->whole) &&
               std::ranges::all_of(step_->parts, [&, first = first, second = second](Term part) {
                 return part == second || has(Kind::Disjoint, first, part);
               });
      case Rule::Separate:
        return !is_subset && is_partition() && has_apart(first, second);
      case Rule::Parts:
        if (!is_sum()) return false;
        if (is_subset) return first == step_->whole && has_all(kind, second);
        return (first == step_->whole && has_all(kind, second)) ||
               (second == step_->whole && has_all(kind, first));
      case Rule::Summand:
        return is_subset && is_sum() && second == step_->whole && is_part(first);
      case Rule::Through:
        return has_through(kind, first, second) || (!is_subset && has_through(kind, second, first));
      case Rule::Rest:
        return is_subset && has(Kind::Disjoint, first, !second);
      case Rule::Exclude: {
        if (is_subset || step_->parts.size() != 2) return false;
        Term a = step_->parts[0], b = step_->parts[1];
        return terms_.excludes(a, b) && is_true({Kind::Subset, first, a}) &&
               is_true({Kind::Subset, second, b});
      }
      case Rule::Conflict: {
        Worlds refuting = truth_.of(first) & truth_.of(is_subset ? !second : second), all = ~Worlds();
        for (Term part : step_->parts) {
          if ((refuting & ~truth_.of(part)).any()) return false;
          all &= truth_.of(part);
        }
        return all.none();
      }
    }
    return false;
  }
  bool has_apart(Term first, Term second) {
    for (Term x : step_->parts) {
      for (Term y : step_->parts) {
        if (x != y && has(Kind::Subset, first, x) && has(Kind::Subset, second, y)) return true;
      }
    }
    return false;
  }

  const PredicateTerms& terms_;
  Truth& truth_;
  const std::vector<ProofStep>& proof_;
  const ProofStep* step_ = nullptr;
  std::set<uint32_t> used_;  // of what the step rests on
};

// Does a witness name all that a statement is about, and refute it? Asks the library and the tests' own
// judge.
inline void check_witness(const PredicateTerms& terms, const PredicateQuestion& question,
                          const Witness& witness) {
  Witness zeros = witness;
  for (WitnessValue& value : zeros) {
    EXPECT_EQ(value.bits & ~value_mask(value.type), 0u);
    value.bits = 0;
  }
  EXPECT_EQ(zeros, values_of(terms, question));
  EXPECT_TRUE(refutes(terms, question, witness));
  auto value = [&](ValueNumber number) {
    auto at = std::ranges::find(witness, number, &WitnessValue::number);
    return at == witness.end() ? 0 : at->bits;
  };
  EXPECT_TRUE(holds(terms, question.first, value));
  EXPECT_EQ(holds(terms, question.second, value), question.kind == PredicateQuestion::Kind::Disjoint);
}

inline void check_explanation(const PredicateTerms& terms, Truth& truth, const PredicateQuestion& question,
                              const PredicateExplanation& explanation) {
  EXPECT_EQ(explanation.proof.empty(), explanation.answer != Answer::Yes);
  if (explanation.answer == Answer::Yes) ProofCheck(terms, truth, explanation.proof).run(question);
  if (explanation.answer == Answer::No) check_witness(terms, question, explanation.witness);
}

}  // namespace psi::testing
