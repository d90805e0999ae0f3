// All that follows from the partitions of a small graph, each statement with its reason; then the steps that
// lead to one of them. The graph keeps the same statements, without reasons, as words.

#include <utility>

#include "predicate/partition_proofs.h"

namespace psi::predicate {
namespace {

using PartitionId = PartitionGraph::PartitionId;
using Kind = PredicateQuestion::Kind;
using Rule = ProofStep::Rule;

struct Fact {
  Kind kind;
  Symbol first, second;
};

class Inference {
 public:
  Inference(const PartitionGraph& graph, Symbol sum, std::span<const Symbol> summands)
      : graph_(graph), n_(graph.num_symbols()), sum_(sum), summands_(summands), indexes_(2 * n_ * n_, kNone) {
    for (Symbol s : summands) add({Kind::Subset, s, sum}, Rule::Summand);
  }

  bool finds(const Fact& goal) {
    size_t before;
    do {
      before = found_.size();
      for (PartitionId id = 0; id < graph_.num_partitions(); ++id) infer_from(id);
      infer_through();
    } while (!is_known(goal) && found_.size() > before);
    return is_known(goal);
  }

  void add_steps(const Fact& goal, std::vector<ProofStep>& proof) {
    std::vector<bool> is_needed(found_.size());
    is_needed[index(goal)] = true;
    for (size_t i = found_.size(); i-- > 0;) {
      if (!is_needed[i]) continue;
      for_each_premise(found_[i], [&](const Fact& premise) { is_needed[index(premise)] = true; });
    }
    std::vector<uint32_t> steps(found_.size());
    for (size_t i = 0; i < found_.size(); ++i) {
      if (!is_needed[i]) continue;
      ProofStep step = make_step(found_[i]);
      for_each_premise(found_[i], [&](const Fact& premise) { step.from.push_back(steps[index(premise)]); });
      steps[i] = static_cast<uint32_t>(proof.size());
      proof.push_back(std::move(step));
    }
  }

 private:
  // A fact with its reason.
  struct Found {
    Fact fact;
    Rule rule;
    PartitionId partition;
    Symbol through;
  };
  static constexpr uint32_t kNone = UINT32_MAX;

  // The same for a disjoint pair either way round.
  uint32_t& index(const Fact& fact) {
    uint32_t row = fact.first.index(), column = fact.second.index();
    if (fact.kind == Kind::Disjoint) {
      if (row < column) std::swap(row, column);
      row += n_;
    }
    return indexes_[row * n_ + column];
  }
  static bool is_plain(const Fact& fact) {
    return fact.kind == Kind::Subset && (fact.first == fact.second || fact.second == PartitionGraph::root());
  }
  bool is_known(const Fact& fact) { return is_plain(fact) || index(fact) != kNone; }
  bool is_within(Symbol p, Symbol q) { return is_known({Kind::Subset, p, q}); }
  bool is_apart(Symbol p, Symbol q) { return is_known({Kind::Disjoint, p, q}); }

  void add(const Fact& fact, Rule rule, PartitionId partition = PartitionGraph::kNone, Symbol through = {}) {
    if (is_known(fact)) return;
    index(fact) = static_cast<uint32_t>(found_.size());
    found_.push_back({fact, rule, partition, through});
  }

  void infer_from(PartitionId id) {
    Symbol whole = graph_.whole(id);
    std::span<const Symbol> parts = graph_.parts(id);
    for (Symbol part : parts) {
      for (Symbol other : parts) {
        if (part != other) add({Kind::Disjoint, part, other}, Rule::Separate, id);
      }
    }
    for (Symbol s(0); s.index() < n_; s = Symbol(s.index() + 1)) {
      size_t num_within = 0, num_apart = 0;
      for (Symbol part : parts) {
        if (is_within(whole, s)) add({Kind::Subset, part, s}, Rule::Part, id);
        num_within += is_within(part, s);
        num_apart += is_apart(part, s);
      }
      if (num_within == parts.size()) add({Kind::Subset, whole, s}, Rule::Parts, id);
      if (num_apart == parts.size()) add({Kind::Disjoint, whole, s}, Rule::Parts, id);
      if (num_apart + 1 < parts.size() || !is_within(s, whole)) continue;
      for (Symbol part : parts) {
        if (num_apart - is_apart(part, s) + 1 == parts.size()) {
          add({Kind::Subset, s, part}, Rule::LastPart, id);
        }
      }
    }
  }

  void infer_through() {
    for (size_t i = 0; i < found_.size(); ++i) {
      auto [kind, p, q] = found_[i].fact;
      if (kind != Kind::Subset) continue;
      for (Symbol s(0); s.index() < n_; s = Symbol(s.index() + 1)) {
        if (is_within(q, s)) add({Kind::Subset, p, s}, Rule::Through, PartitionGraph::kNone, q);
        if (is_apart(q, s)) add({Kind::Disjoint, p, s}, Rule::Through, PartitionGraph::kNone, q);
      }
    }
  }

  template <class Visit>
  void for_each_premise(const Found& found, Visit visit) const {
    auto [kind, first, second] = found.fact;
    auto need = [&](const Fact& fact) {
      if (!is_plain(fact)) visit(fact);
    };
    PartitionId id = found.partition;
    switch (found.rule) {
      case Rule::Part:
        need({Kind::Subset, graph_.whole(id), second});
        break;
      case Rule::Parts:
        for (Symbol part : graph_.parts(id)) need({kind, part, second});
        break;
      case Rule::LastPart:
        need({Kind::Subset, first, graph_.whole(id)});
        for (Symbol part : graph_.parts(id)) {
          if (part != second) need({Kind::Disjoint, first, part});
        }
        break;
      case Rule::Through:
        need({Kind::Subset, first, found.through});
        need({kind, found.through, second});
        break;
      default:
        break;
    }
  }

  ProofStep make_step(const Found& found) const {
    const Fact& fact = found.fact;
    PredicateQuestion shows = {fact.kind, graph_.term(fact.first), graph_.term(fact.second)};
    if (found.rule == Rule::Summand) return summand_step(graph_, fact.first, sum_, summands_);
    if (found.rule == Rule::Through) return {Rule::Through, shows, {}, {}, {}};
    return partition_step(graph_, found.rule, shows, found.partition);
  }

  const PartitionGraph& graph_;
  uint32_t n_;  // symbols
  Symbol sum_;
  std::span<const Symbol> summands_;
  std::vector<uint32_t> indexes_;  // of facts, or kNone
  std::vector<Found> found_;       // each after its premises
};

bool show(const PartitionGraph& graph, const Fact& goal, std::span<const Symbol> summands,
          std::vector<ProofStep>& proof) {
  if (graph.num_symbols() > kMaxInferred) return false;
  Inference inference(graph, goal.second, summands);
  if (!inference.finds(goal)) return false;
  inference.add_steps(goal, proof);
  // The statement found may have the two exchanged.
  proof.back().shows = {goal.kind, graph.term(goal.first), graph.term(goal.second)};
  return true;
}

}  // namespace

bool show_subset_by_inference(const PartitionGraph& graph, Symbol p, Symbol q,
                              std::span<const Symbol> summands, std::vector<ProofStep>& proof) {
  return show(graph, {Kind::Subset, p, q}, summands, proof);
}

bool show_disjoint_by_inference(const PartitionGraph& graph, Symbol p, Symbol q,
                                std::vector<ProofStep>& proof) {
  return show(graph, {Kind::Disjoint, p, q}, {}, proof);
}

}  // namespace psi::predicate
