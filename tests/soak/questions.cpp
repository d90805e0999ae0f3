#include "questions.h"

#include <fmt/format.h>

namespace psi::soak {
namespace {

constexpr uint32_t kMaxPairs = 200;
constexpr uint32_t kNumCompound = 60;

class QuestionMaker {
 public:
  QuestionMaker(std::span<const KnownPredicate> known, PredicateTerms& terms, Random& random)
      : known_(known), terms_(terms), random_(random) {}

  std::vector<Question> pairs() {
    if (known_.size() * known_.size() <= kMaxPairs) {
      for (const KnownPredicate& a : known_) {
        for (const KnownPredicate& b : known_) about(a, b);
      }
    } else {
      for (uint32_t i = 0; i < kMaxPairs; ++i) about(random_.element(known_), random_.element(known_));
    }
    return std::move(questions_);
  }

  std::vector<Question> compound() {
    for (uint32_t i = 0; i < kNumCompound; ++i) {
      const KnownPredicate &a = random_.element(known_), &b = random_.element(known_);
      KnownPredicate c = combined(a, b);
      const KnownPredicate& other = random_.element(known_);
      switch (random_.below(3)) {
        case 0:
          add(true, other, c);
          break;
        case 1:
          add(true, c, other);
          break;
        default:
          add(false, c, other);
      }
    }
    return std::move(questions_);
  }

 private:
  void about(const KnownPredicate& a, const KnownPredicate& b) {
    add(true, a, b);
    add(false, a, b);
  }

  KnownPredicate combined(const KnownPredicate& a, const KnownPredicate& b) {
    switch (random_.below(3)) {
      case 0:
        return {!a.term, ~a.truth, fmt::format("not ({})", a.name)};
      case 1:
        return {terms_.either(a.term, b.term), a.truth | b.truth, fmt::format("({} or {})", a.name, b.name)};
      default:
        return {terms_.both(a.term, b.term), a.truth & b.truth, fmt::format("({} and {})", a.name, b.name)};
    }
  }

  void add(bool asks_subset, const KnownPredicate& a, const KnownPredicate& b) {
    bool is_true = asks_subset ? a.truth.is_subset(b.truth) : a.truth.is_disjoint(b.truth);
    questions_.push_back({asks_subset, a.term, b.term, is_true,
                          fmt::format("{} {} {}", a.name, asks_subset ? "is within" : "excludes", b.name)});
  }

  std::span<const KnownPredicate> known_;
  PredicateTerms& terms_;
  Random& random_;
  std::vector<Question> questions_;
};

}  // namespace

std::vector<Question> make_questions(std::span<const KnownPredicate> known, bool compound,
                                     PredicateTerms& terms, Random& random) {
  QuestionMaker maker(known, terms, random);
  return compound ? maker.compound() : maker.pairs();
}

}  // namespace psi::soak
