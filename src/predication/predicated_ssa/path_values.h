// The path-dependent registers with their values on one path.
#pragma once

#include <algorithm>
#include <utility>
#include <vector>

#include "predication/predicated_ssa/path_predicates.h"

namespace psi::predication {

class PathValues {
 public:
  using Entry = std::pair<Reg, Operand>;

  const Operand* find(Reg r) const {
    auto at = lower_bound(r);
    return at != entries_.end() && at->first == r ? &at->second : nullptr;
  }
  void set(Reg r, Operand value) {
    auto at = lower_bound(r);
    if (at != entries_.end() && at->first == r) {
      at->second = value;
    } else {
      entries_.insert(at, {r, value});
    }
  }
  template <class Keep>
  void keep_if(Keep keep) {
    std::erase_if(entries_, [&](const Entry& entry) { return !keep(entry.first); });
  }
  bool empty() const { return entries_.empty(); }
  const std::vector<Entry>& entries() const { return entries_; }

  bool operator==(const PathValues&) const = default;
  bool operator<(const PathValues& other) const {
    return std::ranges::lexicographical_compare(entries_, other.entries_, [](const Entry& a, const Entry& b) {
      return std::pair(a.first.index(), a.second.raw()) < std::pair(b.first.index(), b.second.raw());
    });
  }

 private:
  std::vector<Entry>::iterator lower_bound(Reg r) {
    return std::ranges::lower_bound(entries_, r.index(), {}, [](const Entry& e) { return e.first.index(); });
  }
  std::vector<Entry>::const_iterator lower_bound(Reg r) const {
    return std::ranges::lower_bound(entries_, r.index(), {}, [](const Entry& e) { return e.first.index(); });
  }

  std::vector<Entry> entries_;  // by register
};

// Paths to one block that need not be distinguished.
struct Path {
  Node predicate = kAlways;
  PathValues values;
};

// A value under a predicate: an argument of a psi.
struct Version {
  Node predicate;
  Operand value;
};

}  // namespace psi::predication
