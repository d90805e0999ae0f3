// Queries on the partition graph (Johnson and Schlansker 1996, section 5): p is within q if there is a way
// from q down to p, and two sets are disjoint if a partition has them in different parts.

#include <algorithm>

#include "psi/partition_graph.h"

namespace psi {
namespace {

constexpr uint32_t kMaxWords = 64;

uint64_t bit(Symbol s) { return uint64_t{1} << s.index(); }

}  // namespace

// What is above each symbol, and beside that, as words.
void PartitionGraph::refresh() const {
  if (is_fresh_) return;
  is_fresh_ = true;
  words_.assign(num_symbols(), {});
  // From the root down, each symbol when all its partitions' wholes are done.
  std::vector<uint32_t> waiting(num_symbols());
  for (uint32_t i = 0; i < num_symbols(); ++i) waiting[i] = static_cast<uint32_t>(symbols_[i].up.size());
  std::vector<Symbol> work;
  for (uint32_t i = 0; i < num_symbols(); ++i) {
    if (waiting[i] == 0) work.push_back(Symbol(i));
  }
  while (!work.empty()) {
    Symbol s = work.back();
    work.pop_back();
    Words& own = words_[s.index()];
    own.above |= bit(s);
    for (PartitionId p : partitions_with(s)) {
      const Words& above = words_[whole(p).index()];
      own.above |= above.above;
      own.siblings |= above.siblings;
      for (Symbol part : parts(p)) own.siblings |= part == s ? 0 : bit(part);
    }
    for (PartitionId p : partitions_of(s)) {
      for (Symbol part : parts(p)) {
        if (--waiting[part.index()] == 0) work.push_back(part);
      }
    }
  }
}

// A symbol and all above it.
void PartitionGraph::collect_above(Symbol s, Marks& marks, std::vector<Symbol>& list) const {
  marks.clear(num_symbols());
  marks.insert(s);
  list.assign(1, s);
  for (size_t i = 0; i < list.size(); ++i) {
    for (PartitionId p : partitions_with(list[i])) {
      if (marks.insert(whole(p))) list.push_back(whole(p));
    }
  }
}

bool PartitionGraph::is_subset(Symbol p, Symbol q) const {
  if (p == q || q == root()) return true;
  if (num_symbols() <= kMaxWords) {
    refresh();
    return words_[p.index()].above & bit(q);
  }
  collect_above(p, above_p_, list_p_);
  return above_p_.contains(q);
}

PartitionGraph::PartitionId PartitionGraph::separation(Symbol p, Symbol q) const {
  if (p == q) return kNone;
  if (num_symbols() <= kMaxWords) {
    refresh();
    if (!(words_[p.index()].siblings & words_[q.index()].above)) return kNone;
  }
  collect_above(q, above_q_, list_q_);
  collect_above(p, above_p_, list_p_);
  for (Symbol above : list_p_) {
    for (PartitionId id : partitions_with(above)) {
      for (Symbol part : parts(id)) {
        if (part != above && above_q_.contains(part)) return id;
      }
    }
  }
  return kNone;
}

Symbol PartitionGraph::lowest_common_ancestor(Symbol p, Symbol q) const {
  collect_above(p, above_p_, list_p_);
  collect_above(q, above_q_, list_q_);
  Symbol best = root();
  for (Symbol s : list_p_) {
    if (above_q_.contains(s) && level(s) > level(best)) best = s;
  }
  return best;
}

void PartitionGraph::relative_complement(Symbol p, Symbol q, std::vector<Symbol>& rest) const {
  if (p == q) return;
  // A shortest way up, and the siblings along it.
  above_p_.clear(num_symbols());
  above_p_.insert(p);
  steps_.assign(1, {p, 0, kNone});
  for (uint32_t i = 0; i < steps_.size(); ++i) {
    for (PartitionId id : partitions_with(steps_[i].symbol)) {
      if (!above_p_.insert(whole(id))) continue;
      steps_.push_back({whole(id), i, id});
      if (whole(id) != q) continue;
      for (uint32_t at = static_cast<uint32_t>(steps_.size()) - 1; at != 0; at = steps_[at].below) {
        for (Symbol part : parts(steps_[at].partition)) {
          if (part != steps_[steps_[at].below].symbol) rest.push_back(part);
        }
      }
      return;
    }
  }
}

}  // namespace psi
