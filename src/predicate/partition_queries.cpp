// Queries on the partition graph as walks (Johnson and Schlansker 1996, section 5): q contains p if there is
// a path from q down to p, and two sets are disjoint if a partition has them in different parts.

#include <algorithm>

#include "psi/predicate/partition_graph.h"

namespace psi {
namespace {

// The most steps of a search before it gives up.
constexpr size_t kMaxVisits = 256;
constexpr size_t kMaxPairs = 256;

}  // namespace

// A symbol and the symbols above it, the nearest first; false if the limit is reached: paths are short except
// in very large graphs.
bool PartitionGraph::collect_above(Symbol s, Marks& marks, std::vector<Symbol>& list) const {
  marks.clear(num_symbols());
  marks.insert(s);
  list.assign(1, s);
  for (size_t i = 0; i < list.size(); ++i) {
    if (list.size() > kMaxVisits) return false;
    for (PartitionId p : partitions_with(list[i])) {
      if (!may_step()) break;
      if (marks.insert(whole(p))) list.push_back(whole(p));
    }
  }
  return steps_left_ > 0;
}

PartitionGraph::PartitionId PartitionGraph::separation(Symbol p, Symbol q) const {
  start_query();
  return find_separation(p, q);
}

PartitionGraph::PartitionId PartitionGraph::find_separation(Symbol p, Symbol q) const {
  if (p == q) return kNone;
  collect_above(q, above_q_, list_q_);
  collect_above(p, above_p_, list_p_);
  for (Symbol above : list_p_) {
    for (PartitionId id : partitions_with(above)) {
      if (!may_step()) break;
      for (Symbol part : parts(id)) {
        if (part != above && above_q_.contains(part)) return id;
      }
    }
  }
  return kNone;
}

// Upwards from p; and from q down to all sets known to be contained in it.
bool PartitionGraph::search_subset(Symbol p, Symbol q) const {
  start_query();
  collect_above(p, above_p_, list_p_);
  if (above_p_.contains(q)) return true;
  Marks& within = above_q_;
  std::vector<Symbol>& list = list_q_;
  within.clear(num_symbols());
  within.insert(q);
  list.assign(1, q);
  for (size_t i = 0; i < list.size() && list.size() < kMaxVisits; ++i) {
    for (PartitionId id : partitions_of(list[i])) {
      if (!may_step()) break;
      for (Symbol part : parts(id)) {
        if (within.insert(part)) list.push_back(part);
      }
    }
    for (PartitionId id : partitions_with(list[i])) {
      if (!may_step()) break;
      bool all = true;
      for (Symbol part : parts(id)) all = all && within.contains(part);
      if (all && within.insert(whole(id))) list.push_back(whole(id));
    }
    if (within.contains(p)) return true;
  }
  return false;
}

// Two sets are separated by a partition, or one of them is decomposed: a union is disjoint from a set if all
// its parts are, and a part of a set if the whole is. The decomposition follows the control flow of a region:
// a block is reached by one of its incoming edges, an edge from its block.
bool PartitionGraph::search_disjoint(Symbol p, Symbol q) const {
  start_query();
  pairs_.clear();
  require(p, q);
  for (size_t i = 0; i < pairs_.size(); ++i) {
    auto [a, b] = pairs_[i];
    if (find_separation(a, b) != kNone) continue;
    if (i >= kMaxPairs || !decompose(a, b)) return false;
  }
  return true;
}

void PartitionGraph::require(Symbol a, Symbol b) const {
  // The number of pairs that cost as much as visiting a partition.
  constexpr size_t kPairsPerStep = 16;
  for (size_t i = 0; i < pairs_.size() / kPairsPerStep; ++i) may_step();
  std::pair<Symbol, Symbol> pair = std::minmax(a, b);
  if (std::ranges::find(pairs_, pair) == pairs_.end()) pairs_.push_back(pair);
}

// Adds the pairs whose disjointness implies that of a and b; false if there are none.
bool PartitionGraph::decompose(Symbol a, Symbol b) const {
  if (term(a).node() < term(b).node()) std::swap(a, b);
  PartitionId apart = union_of(a);
  if (apart == kNone) {
    std::swap(a, b);
    apart = union_of(a);
  }
  if (apart != kNone) {
    for (Symbol part : parts(apart)) require(part, b);
    return true;
  }
  // The younger union: an older one cannot be part of it.
  Symbol above_a = union_above(a), above_b = union_above(b);
  if (!above_a || (above_b && term(above_a).node() < term(above_b).node())) {
    std::swap(a, b);
    std::swap(above_a, above_b);
  }
  if (!above_a) return false;
  require(above_a, b);
  return true;
}

// The partition that a symbol was made from as a union, if any: one of its first.
PartitionGraph::PartitionId PartitionGraph::union_of(Symbol s) const {
  constexpr size_t kFirst = 8;
  auto is_older = [&](Symbol part) { return term(part).node() < term(s).node(); };
  std::span<const PartitionId> partitions = partitions_of(s);
  for (PartitionId id : partitions.first(std::min(partitions.size(), kFirst))) {
    if (!may_step()) break;
    if (std::ranges::all_of(parts(id), is_older)) return id;
  }
  return kNone;
}

// The nearest union that a symbol was made a part of, or none.
Symbol PartitionGraph::union_above(Symbol s) const {
  for (size_t i = 0; i < kMaxVisits; ++i) {
    s = input_of(s);
    if (!s || union_of(s) != kNone) return s;
  }
  return {};
}

// The whole that a symbol was made a part of, if that is not the root.
Symbol PartitionGraph::input_of(Symbol s) const {
  for (PartitionId id : partitions_with(s)) {
    if (!may_step()) break;
    if (whole(id) != root() && term(whole(id)).node() < term(s).node()) return whole(id);
  }
  return {};
}

Symbol PartitionGraph::lowest_common_ancestor(Symbol p, Symbol q) const {
  start_query();
  collect_above(p, above_p_, list_p_);
  collect_above(q, above_q_, list_q_);
  Symbol best = root();
  for (Symbol s : list_p_) {
    if (above_q_.contains(s) && level(s) > level(best)) best = s;
  }
  return best;
}

bool PartitionGraph::relative_complement(Symbol p, Symbol q, std::vector<Symbol>& rest) const {
  if (p == q) return true;
  start_query();
  // A shortest path up, and the siblings along it.
  above_p_.clear(num_symbols());
  above_p_.insert(p);
  steps_.assign(1, {p, 0, kNone});
  for (uint32_t i = 0; i < steps_.size(); ++i) {
    for (PartitionId id : partitions_with(steps_[i].symbol)) {
      if (!may_step()) break;
      if (!above_p_.insert(whole(id))) continue;
      steps_.push_back({whole(id), i, id});
      if (whole(id) != q) continue;
      for (uint32_t at = static_cast<uint32_t>(steps_.size()) - 1; at != 0; at = steps_[at].below) {
        for (Symbol part : parts(steps_[at].partition)) {
          if (part != steps_[steps_[at].below].symbol) rest.push_back(part);
        }
      }
      return true;
    }
  }
  return false;
}

}  // namespace psi
