// The conclusions from the partitions of a graph of up to 64 symbols, computed at once and stored as words.

#include <bit>

#include "psi/predicate/partition_graph.h"

namespace psi {
namespace {

constexpr uint32_t kMaxWords = 64;

uint64_t bit(Symbol s) { return uint64_t{1} << s.index(); }

template <class Visit>
void for_each_bit(uint64_t word, Visit visit) {
  for (; word != 0; word &= word - 1) visit(static_cast<uint32_t>(std::countr_zero(word)));
}

}  // namespace

// All conclusions from the partitions, by these rules until nothing changes:
//
//   parts lie within their whole, and are disjoint
//   what lies within a set lies within all that the set does, and is disjoint from all that the set is
//   what includes all parts, or is disjoint from all, includes the whole, or is disjoint from it
//   what lies in a whole and is disjoint from all parts but one lies in that one
void PartitionGraph::refresh() const {
  if (is_fresh_) return;
  is_fresh_ = true;
  words_.assign(num_symbols(), {});
  for (uint32_t i = 0; i < num_symbols(); ++i) words_[i].above = bit(Symbol(i)) | bit(root());
  while (infer()) {
  }
}

// One iteration of the rules; false if nothing changed.
bool PartitionGraph::infer() const {
  bool is_new = false;
  auto add = [&](uint64_t& word, uint64_t more) {
    is_new = is_new || (more & ~word);
    word |= more;
  };
  for (PartitionId p = 0; p < num_partitions(); ++p) {
    Words& all = words_[whole(p).index()];
    uint64_t above_parts = ~uint64_t{0}, apart_from_parts = ~uint64_t{0}, together = 0;
    for (Symbol part : parts(p)) {
      const Words& own = words_[part.index()];
      above_parts &= own.above;
      apart_from_parts &= own.apart;
      together |= bit(part);
    }
    add(all.above, above_parts);
    add(all.apart, apart_from_parts);
    for (Symbol part : parts(p)) {
      Words& own = words_[part.index()];
      add(own.above, all.above);
      add(own.apart, all.apart | (together & ~bit(part)));
    }
    for (uint32_t i = 0; i < num_symbols(); ++i) {
      if (!(words_[i].above & bit(whole(p)))) continue;
      uint64_t left = together & ~words_[i].apart;
      if (std::has_single_bit(left)) add(words_[i].above, left);
    }
  }
  for (uint32_t i = 0; i < num_symbols(); ++i) {
    Words& own = words_[i];
    for_each_bit(own.above, [&](uint32_t above) {
      add(own.above, words_[above].above);
      add(own.apart, words_[above].apart);
    });
    for_each_bit(own.apart, [&](uint32_t other) { add(words_[other].apart, bit(Symbol(i))); });
  }
  return is_new;
}

bool PartitionGraph::is_subset(Symbol p, Symbol q) const {
  if (p == q || q == root()) return true;
  if (num_symbols() > kMaxWords) return search_subset(p, q);
  refresh();
  return words_[p.index()].above & bit(q);
}

bool PartitionGraph::is_disjoint(Symbol p, Symbol q) const {
  if (num_symbols() > kMaxWords) return search_disjoint(p, q);
  refresh();
  return words_[p.index()].apart & bit(q);
}

}  // namespace psi
