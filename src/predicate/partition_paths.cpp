// Finds the sets contained in a given set q: the parts of contained sets, and then wholes whose parts are all
// contained.

#include <algorithm>

#include "predicate/partition_proofs.h"

namespace psi::predicate {
namespace {

using PartitionId = PartitionGraph::PartitionId;
using Kind = PredicateQuestion::Kind;
using Rule = ProofStep::Rule;

class Paths {
 public:
  Paths(const PartitionGraph& graph, Symbol q, std::span<const Symbol> summands)
      : graph_(graph),
        q_(q),
        summands_(summands),
        reasons_(graph.num_symbols()),
        found_parts_(graph.num_partitions()) {
    reach(q, Rule::Same, PartitionGraph::kNone);
    for (Symbol summand : summands) reach(summand, Rule::Summand, PartitionGraph::kNone);
  }

  bool reaches(Symbol p) {
    std::vector<PartitionId> complete;
    size_t next = 0, next_complete = 0;
    while (!reasons_[p.index()].is_reached) {
      if (next == found_.size()) {
        if (next_complete == complete.size()) return false;
        PartitionId id = complete[next_complete++];
        reach(graph_.whole(id), Rule::Parts, id);
        continue;
      }
      Symbol s = found_[next++];
      for (PartitionId id : graph_.partitions_of(s)) {
        for (Symbol part : graph_.parts(id)) reach(part, Rule::Part, id);
      }
      for (PartitionId id : graph_.partitions_with(s)) {
        if (++found_parts_[id] == graph_.parts(id).size()) complete.push_back(id);
      }
    }
    return true;
  }

  // The steps to p, which was reached.
  void add_steps(Symbol p, std::vector<ProofStep>& proof) {
    std::vector<bool> is_needed(graph_.num_symbols());
    is_needed[p.index()] = true;
    for (size_t i = found_.size(); i-- > 0;) {
      if (!is_needed[found_[i].index()]) continue;
      for_each_premise(found_[i], [&](Symbol s) { is_needed[s.index()] = true; });
    }
    for (Symbol s : found_) {
      if (!is_needed[s.index()] || s == q_) continue;
      Reason& reason = reasons_[s.index()];
      PredicateQuestion shows = {Kind::Subset, graph_.term(s), graph_.term(q_)};
      ProofStep step = reason.rule == Rule::Summand
                           ? summand_step(graph_, s, q_, summands_)
                           : partition_step(graph_, reason.rule, shows, reason.partition);
      for_each_premise(s, [&](Symbol premise) { step.from.push_back(reasons_[premise.index()].step); });
      reason.step = static_cast<uint32_t>(proof.size());
      proof.push_back(std::move(step));
    }
  }

 private:
  struct Reason {
    bool is_reached = false;
    Rule rule = Rule::Same;
    PartitionId partition = PartitionGraph::kNone;
    uint32_t step = 0;  // of the proof
  };

  void reach(Symbol s, Rule rule, PartitionId partition) {
    Reason& reason = reasons_[s.index()];
    if (reason.is_reached) return;
    reason = {true, rule, partition, 0};
    found_.push_back(s);
  }

  // The sets whose containment in q implies that of s.
  template <class Visit>
  void for_each_premise(Symbol s, Visit visit) const {
    const Reason& reason = reasons_[s.index()];
    if (reason.rule == Rule::Part && graph_.whole(reason.partition) != q_) {
      visit(graph_.whole(reason.partition));
    } else if (reason.rule == Rule::Parts) {
      for (Symbol part : graph_.parts(reason.partition)) {
        if (part != q_) visit(part);
      }
    }
  }

  const PartitionGraph& graph_;
  Symbol q_;
  std::span<const Symbol> summands_;
  std::vector<Reason> reasons_;        // by Symbol
  std::vector<uint32_t> found_parts_;  // by PartitionId: how many
  std::vector<Symbol> found_;          // in order
};

}  // namespace

ProofStep partition_step(const PartitionGraph& graph, Rule rule, const PredicateQuestion& shows,
                         PartitionId partition) {
  ProofStep step = {rule, shows, graph.term(graph.whole(partition)), {}, {}};
  for (Symbol part : graph.parts(partition)) step.parts.push_back(graph.term(part));
  return step;
}

ProofStep summand_step(const PartitionGraph& graph, Symbol summand, Symbol sum,
                       std::span<const Symbol> summands) {
  Term whole = graph.term(sum);
  ProofStep step = {Rule::Summand, {Kind::Subset, graph.term(summand), whole}, whole, {}, {}};
  for (Symbol s : summands) step.parts.push_back(graph.term(s));
  return step;
}

bool show_subset_by_paths(const PartitionGraph& graph, Symbol p, Symbol q, std::span<const Symbol> summands,
                          std::vector<ProofStep>& proof) {
  Paths paths(graph, q, summands);
  if (!paths.reaches(p)) return false;
  paths.add_steps(p, proof);
  return true;
}

}  // namespace psi::predicate
