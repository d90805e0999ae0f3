// The partition graph answers most questions at once; the others go to a stronger and slower engine.

#include <utility>

#include "predicate/engines.h"

namespace psi::predicate {
namespace {

class AutoEngine : public PredicateEngine {
 public:
  AutoEngine(PredicateTerms& terms, MakeExactEngine make_exact)
      : terms_(terms), make_exact_(std::move(make_exact)), quick_(make_partition_engine(terms)) {}

  Answer disjoint(Term a, Term b) override {
    Answer answer = quick_->disjoint(a, b);
    return answer != Answer::Unknown ? answer : thorough().disjoint(a, b);
  }

  Answer subset(Term inner, Term outer) override {
    Answer answer = quick_->subset(inner, outer);
    return answer != Answer::Unknown ? answer : thorough().subset(inner, outer);
  }

  PredicateExplanation explain(const PredicateQuestion& question) override {
    PredicateExplanation explanation = quick_->explain(question);
    return explanation.answer != Answer::Unknown ? explanation : thorough().explain(question);
  }

 private:
  PredicateEngine& thorough() {
    if (!thorough_ && make_exact_) thorough_ = make_exact_(terms_);
    if (!thorough_) thorough_ = make_hierarchy_engine(terms_);
    return *thorough_;
  }

  PredicateTerms& terms_;
  MakeExactEngine make_exact_;
  std::unique_ptr<PredicateEngine> quick_;
  std::unique_ptr<PredicateEngine> thorough_;  // made on first use
};

}  // namespace

std::unique_ptr<PredicateEngine> make_auto_engine(PredicateTerms& terms, MakeExactEngine make_exact) {
  return std::make_unique<AutoEngine>(terms, std::move(make_exact));
}

}  // namespace psi::predicate
