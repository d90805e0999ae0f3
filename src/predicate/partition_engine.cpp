// The partition graph as an engine. A set contained in a sum may be contained in parts, each in another
// summand.

#include <utility>

#include "predicate/engines.h"
#include "predicate/partition_proofs.h"
#include "psi/predicate/algebra.h"

namespace psi::predicate {
namespace {

using Kind = PredicateQuestion::Kind;
using Rule = ProofStep::Rule;

// Larger sums are queried as a whole only, since their summands would be compared pairwise.
constexpr size_t kMaxSummands = 256;

class PartitionEngine : public PredicateEngine {
 public:
  explicit PartitionEngine(PredicateTerms& terms) : terms_(terms), graph_(terms), algebra_(graph_) {}

  Answer disjoint(Term a, Term b) override {
    Symbol p = graph_.symbol(a), q = graph_.symbol(b);
    // Facts from the terms alone need no search.
    if (!p || !q || terms_.excludes(a, b) || graph_.is_disjoint(p, q)) return Answer::Yes;
    // A set contained in the other intersects it, unless it is empty, which terms do not tell.
    return Answer::Unknown;
  }

  Answer subset(Term inner, Term outer) override {
    Symbol p = graph_.symbol(inner);
    if (!p) return Answer::Yes;
    Symbol q = graph_.symbol(outer);
    if (q && graph_.is_subset(p, q)) return Answer::Yes;
    Symbol rest = graph_.symbol(!outer);
    if (!rest || terms_.excludes(inner, !outer) || graph_.is_disjoint(p, rest)) return Answer::Yes;
    return q && is_within_sum(p, outer) ? Answer::Yes : Answer::Unknown;
  }

  PredicateExplanation explain(const PredicateQuestion& question) override {
    PredicateExplanation result;
    result.answer = answer(question);
    result.engine = PredicateEngineKind::Partition;
    if (result.answer == Answer::Yes && !show_by_terms(question, result.proof)) {
      if (question.kind == Kind::Disjoint) {
        show_disjoint(question.first, question.second, result.proof);
      } else {
        show_subset(question, result.proof);
      }
    }
    return result;
  }

 private:
  bool is_within_sum(Symbol p, Term outer) {
    if (!find_summands(outer, kMaxSummands)) return false;
    PredicateExpr sum;
    for (Symbol s : summands_) sum = algebra_.lub_sum(s, sum);
    return algebra_.is_subset(p, sum);
  }

  // The sets that the term is the sum of, into `summands_`; false if there are more than `most`.
  bool find_summands(Term term, size_t most) {
    summands_.clear();
    pending_.assign(1, term);
    if (term.raw() >= stamps_.size()) stamps_.resize(2 * terms_.num_nodes());
    ++now_;
    while (!pending_.empty()) {
      Term next = pending_.back();
      pending_.pop_back();
      // Sums may have summands in common, more of them than terms.
      if (std::exchange(stamps_[next.raw()], now_) == now_) continue;
      if (terms_.kind(next) == PredicateTerms::Kind::Both && next.is_negated()) {
        pending_.push_back(!terms_.first(next));
        pending_.push_back(!terms_.second(next));
      } else {
        if (summands_.size() == most) return false;
        summands_.push_back(graph_.symbol(next));
      }
    }
    return true;
  }

  // By the terms alone.
  static bool show_by_terms(const PredicateQuestion& question, std::vector<ProofStep>& proof) {
    auto [kind, first, second] = question;
    bool is_subset = kind == Kind::Subset;
    ProofStep step = {Rule::Same, question, {}, {}, {}};
    if (first == Term::never() || (!is_subset && second == Term::never())) {
      step.rule = Rule::Never;
    } else if (is_subset && second == Term::always()) {
      step.rule = Rule::Always;
    } else if (!is_subset || first != second) {
      return false;
    }
    proof.push_back(step);
    return true;
  }

  void show_disjoint(Term a, Term b, std::vector<ProofStep>& proof) {
    Symbol p = graph_.symbol(a), q = graph_.symbol(b);
    if (!graph_.is_disjoint(p, q)) {
      proof.push_back({Rule::Exclude, {Kind::Disjoint, a, b}, {}, {a, b}, {}});
      return;
    }
    if (!show_disjoint_by_paths(graph_, p, q, proof)) show_disjoint_by_inference(graph_, p, q, proof);
  }

  // In the way the answer was found, so that no new symbols are made.
  void show_subset(const PredicateQuestion& question, std::vector<ProofStep>& proof) {
    Symbol p = graph_.symbol(question.first), q = graph_.symbol(question.second);
    summands_.clear();
    if (!q || !graph_.is_subset(p, q)) {
      Symbol rest = graph_.symbol(!question.second);
      if (graph_.is_disjoint(p, rest) || terms_.excludes(question.first, !question.second)) {
        show_disjoint(question.first, !question.second, proof);
        proof.push_back({Rule::Rest, question, {}, {}, {static_cast<uint32_t>(proof.size()) - 1}});
        return;
      }
      find_summands(question.second, kMaxSummands);
    }
    if (!show_subset_by_paths(graph_, p, q, summands_, proof)) {
      show_subset_by_inference(graph_, p, q, summands_, proof);
    }
  }

  PredicateTerms& terms_;
  PartitionGraph graph_;
  PredicateAlgebra algebra_;
  // For sums.
  std::vector<Symbol> summands_;
  std::vector<Term> pending_;
  std::vector<uint64_t> stamps_;  // by Term::raw(): when it was last met
  uint64_t now_ = 0;
};

}  // namespace

std::unique_ptr<PredicateEngine> make_partition_engine(PredicateTerms& terms) {
  return std::make_unique<PartitionEngine>(terms);
}

}  // namespace psi::predicate
