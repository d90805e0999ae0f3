// Two sets are disjoint by a partition that has them in different parts, or because pairs of simpler sets
// are: the parts of a union and the other set, or the whole that one is a part of and the other. The graph
// tells which pairs are disjoint; the premises of a pair are older than it, so the search ends.

#include <algorithm>
#include <numeric>
#include <unordered_map>
#include <utility>

#include "predicate/partition_proofs.h"

namespace psi::predicate {
namespace {

using PartitionId = PartitionGraph::PartitionId;
using Kind = PredicateQuestion::Kind;
using Rule = ProofStep::Rule;

class Pairs {
 public:
  Pairs(const PartitionGraph& graph, Symbol p, Symbol q) : graph_(graph) { add(p, q); }

  bool are_disjoint() {
    constexpr size_t kMaxPairs = 4096;
    for (uint32_t i = 0; i < pairs_.size(); ++i) {
      if (i == kMaxPairs || !explain(i)) return false;
    }
    return true;
  }

  void add_steps(std::vector<ProofStep>& proof) {
    std::vector<uint32_t> order(pairs_.size());
    std::iota(order.begin(), order.end(), 0);
    std::ranges::sort(order, {},
                      [&](uint32_t i) { return std::pair(age(pairs_[i].p) + age(pairs_[i].q), i); });
    for (uint32_t i : order) {
      ProofStep step = last_step(pairs_[i], proof);
      pairs_[i].step = static_cast<uint32_t>(proof.size());
      proof.push_back(std::move(step));
    }
  }

 private:
  struct Pair {
    Symbol p, q;
    Rule rule = Rule::Separate;
    PartitionId partition = PartitionGraph::kNone;
    std::vector<uint32_t> from;  // its premises
    uint32_t step = 0;           // of the proof
  };

  uint64_t age(Symbol s) const { return graph_.term(s).node(); }

  uint32_t add(Symbol p, Symbol q) {
    uint32_t next = static_cast<uint32_t>(pairs_.size());
    auto [at, is_new] = known_.try_emplace(uint64_t{p.index()} << 32 | q.index(), next);
    if (is_new) pairs_.push_back({p, q, Rule::Separate, PartitionGraph::kNone, {}, 0});
    return at->second;
  }

  // Finds a reason.
  bool explain(uint32_t i) {
    Symbol p = pairs_[i].p, q = pairs_[i].q;
    pairs_[i].partition = graph_.separation(p, q);
    return pairs_[i].partition != PartitionGraph::kNone || rests_on_parts(i, p, q) ||
           rests_on_parts(i, q, p) || rests_on_whole(i, p, q) || rests_on_whole(i, q, p);
  }
  bool rests_on_parts(uint32_t i, Symbol sum, Symbol other) {
    auto is_simpler = [&](Symbol part) { return age(part) < age(sum) && graph_.is_disjoint(part, other); };
    for (PartitionId id : graph_.partitions_of(sum)) {
      if (!std::ranges::all_of(graph_.parts(id), is_simpler)) continue;
      pairs_[i].rule = Rule::Parts;
      pairs_[i].partition = id;
      for (Symbol part : graph_.parts(id)) {
        uint32_t simpler = add(part, other);
        pairs_[i].from.push_back(simpler);
      }
      return true;
    }
    return false;
  }
  bool rests_on_whole(uint32_t i, Symbol part, Symbol other) {
    for (PartitionId id : graph_.partitions_with(part)) {
      Symbol whole = graph_.whole(id);
      if (age(whole) >= age(part) || !graph_.is_disjoint(whole, other)) continue;
      pairs_[i].rule = Rule::Through;
      pairs_[i].partition = id;
      uint32_t simpler = add(whole, other);
      pairs_[i].from.push_back(simpler);
      return true;
    }
    return false;
  }

  ProofStep last_step(const Pair& pair, std::vector<ProofStep>& proof) const {
    PredicateQuestion shows = {Kind::Disjoint, graph_.term(pair.p), graph_.term(pair.q)};
    if (pair.rule == Rule::Separate) return separate(pair, shows, proof);
    ProofStep step = {pair.rule, shows, {}, {}, {}};
    if (pair.rule == Rule::Parts) {
      step = partition_step(graph_, Rule::Parts, shows, pair.partition);
    } else {
      Symbol other = pairs_[pair.from[0]].q, part = other == pair.p ? pair.q : pair.p;
      Term whole = graph_.term(graph_.whole(pair.partition));
      step.from.push_back(static_cast<uint32_t>(proof.size()));
      proof.push_back(
          partition_step(graph_, Rule::Part, {Kind::Subset, graph_.term(part), whole}, pair.partition));
    }
    for (uint32_t from : pair.from) step.from.push_back(pairs_[from].step);
    return step;
  }

  ProofStep separate(const Pair& pair, const PredicateQuestion& shows, std::vector<ProofStep>& proof) const {
    ProofStep step = partition_step(graph_, Rule::Separate, shows, pair.partition);
    auto show = [&](Symbol side, Symbol part) {
      if (!show_subset_by_paths(graph_, side, part, {}, proof)) return false;
      if (side != part) step.from.push_back(static_cast<uint32_t>(proof.size()) - 1);
      return true;
    };
    size_t before = proof.size();
    for (Symbol part : graph_.parts(pair.partition)) {
      if (!show(pair.p, part)) continue;
      for (Symbol other : graph_.parts(pair.partition)) {
        if (other != part && show(pair.q, other)) return step;
      }
      proof.resize(before);
      step.from.clear();
    }
    return step;
  }

  const PartitionGraph& graph_;
  std::vector<Pair> pairs_;
  std::unordered_map<uint64_t, uint32_t> known_;  // where a pair is in the list
};

}  // namespace

bool show_disjoint_by_paths(const PartitionGraph& graph, Symbol p, Symbol q, std::vector<ProofStep>& proof) {
  Pairs pairs(graph, p, q);
  if (!graph.is_disjoint(p, q) || !pairs.are_disjoint()) return false;
  pairs.add_steps(proof);
  return true;
}

}  // namespace psi::predicate
