// The partition graph as an engine. A sum on the right is kept as an expression of its parts, so that no
// symbol is made for it.

#include "predicate/engines.h"
#include "psi/predicate_algebra.h"

namespace psi::predicate {
namespace {

class PartitionEngine : public PredicateEngine {
 public:
  explicit PartitionEngine(PredicateTerms& terms) : terms_(terms), graph_(terms), algebra_(graph_) {}

  Answer disjoint(Term a, Term b) override {
    Symbol p = graph_.symbol(a), q = graph_.symbol(b);
    if (!p || !q || graph_.is_disjoint(p, q)) return Answer::Yes;
    // A set within the other has executions in common with it, unless it is empty, which terms do not tell.
    return Answer::Unknown;
  }

  Answer subset(Term inner, Term outer) override {
    Symbol p = graph_.symbol(inner);
    if (!p) return Answer::Yes;
    if (Symbol q = graph_.symbol(outer); q && graph_.is_subset(p, q)) return Answer::Yes;
    if (outer == Term::never()) return Answer::Unknown;
    return algebra_.is_subset(p, parts_of(outer)) || is_apart_from_rest(p, outer) ? Answer::Yes
                                                                                  : Answer::Unknown;
  }

 private:
  // As a sum of symbols.
  PredicateExpr parts_of(Term term) {
    PredicateExpr result;
    std::vector<Term> work{term};
    while (!work.empty()) {
      Term next = work.back();
      work.pop_back();
      if (terms_.kind(next) == PredicateTerms::Kind::Both && next.is_negated()) {
        work.push_back(!terms_.first(next));
        work.push_back(!terms_.second(next));
      } else {
        result = algebra_.lub_sum(graph_.symbol(next), result);
      }
    }
    return result;
  }
  // Within a set: disjoint from its complement.
  bool is_apart_from_rest(Symbol p, Term outer) {
    Symbol rest = graph_.symbol(!outer);
    return !rest || graph_.is_disjoint(p, rest);
  }

  PredicateTerms& terms_;
  PartitionGraph graph_;
  PredicateAlgebra algebra_;
};

}  // namespace

std::unique_ptr<PredicateEngine> make_partition_engine(PredicateTerms& terms) {
  return std::make_unique<PartitionEngine>(terms);
}

}  // namespace psi::predicate
