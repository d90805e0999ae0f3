#include "algebra_check.h"

#include <fmt/format.h>

#include "psi/predicate/algebra.h"

namespace psi::soak {
namespace {

constexpr int kNumOperations = 40;

class AlgebraCheck {
 public:
  AlgebraCheck(Predicates& predicates, TermTruth& truth, Random& random, AlgebraScore& score)
      : graph_(predicates.terms()), algebra_(graph_), truth_(truth), random_(random), score_(score) {}

  std::string run(std::span<const KnownPredicate> known) {
    for (const KnownPredicate& k : known) {
      Symbol s = graph_.symbol(k.term);
      if (s) symbols_.push_back(s);
    }
    if (symbols_.empty()) return {};
    PredicateExpr e;
    for (int i = 0; i < kNumOperations && wrong_.empty(); ++i) {
      if (random_.percent(10)) e = random_.coin() ? algebra_.true_expr() : algebra_.false_expr();
      step(e, random_.element(symbols_));
    }
    return wrong_;
  }

 private:
  using Operation = AlgebraScore::Operation;

  // Asks about a symbol and an expression, and makes another expression of the two.
  void step(PredicateExpr& e, Symbol p) {
    WorldSet of_e = worlds(e), of_p = truth_.of(graph_.term(p));
    question(Operation::IsDisjoint, algebra_.is_disjoint(p, e), of_p.is_disjoint(of_e));
    question(Operation::IsSubset, algebra_.is_subset(p, e), of_p.is_subset(of_e));
    PredicateExpr before = e;
    switch (random_.below(5)) {
      case 0:
        e = algebra_.lub_diff(before, p);
        return result(Operation::LubDiff, worlds(e), of_e & ~of_p);
      case 1:
        e = algebra_.glb_diff(before, p);
        return result(Operation::GlbDiff, worlds(e), of_e & ~of_p);
      default:
        e = algebra_.lub_sum(p, before);
        return result(Operation::LubSum, worlds(e), of_e | of_p);
    }
  }

  WorldSet worlds(const PredicateExpr& e) {
    WorldSet result = truth_.of(Term::never());
    e.for_each([&](Symbol s) { result |= truth_.of(graph_.term(s)); });
    return result;
  }

  void question(Operation operation, bool answer, bool is_true) {
    if (answer && !is_true) wrong_ = fmt::format("{} is wrong", AlgebraScore::kNames[operation]);
    score_.rows[operation].results += is_true;
    score_.rows[operation].exact += answer;
  }

  // A sum is exact, an upper bound loses nothing, a lower one adds nothing.
  void result(Operation operation, const WorldSet& result, const WorldSet& exact) {
    bool may_be_larger = operation == Operation::LubDiff, may_be_smaller = operation == Operation::GlbDiff;
    if ((!may_be_larger && !result.is_subset(exact)) || (!may_be_smaller && !exact.is_subset(result))) {
      wrong_ = fmt::format("{} is wrong", AlgebraScore::kNames[operation]);
    }
    ++score_.rows[operation].results;
    score_.rows[operation].exact += result == exact;
  }

  PartitionGraph graph_;
  PredicateAlgebra algebra_;
  TermTruth& truth_;
  Random& random_;
  AlgebraScore& score_;
  std::vector<Symbol> symbols_;
  std::string wrong_;
};

}  // namespace

std::string check_algebra(std::span<const KnownPredicate> known, Predicates& predicates, TermTruth& truth,
                          Random& random, AlgebraScore& score) {
  return AlgebraCheck(predicates, truth, random, score).run(known);
}

}  // namespace psi::soak
