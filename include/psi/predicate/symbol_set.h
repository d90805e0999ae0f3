// Sets of predicate symbols: one word for small symbols, the common case, and a list for others.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <vector>

#include "psi/predicate/partition_graph.h"

namespace psi {

class SymbolSet {
 public:
  bool empty() const { return first_ == 0 && more_.empty(); }
  bool contains(Symbol s) const {
    return is_small(s) ? (first_ & bit(s)) != 0 : std::ranges::binary_search(more_, s);
  }
  void insert(Symbol s) {
    if (is_small(s)) {
      first_ |= bit(s);
      return;
    }
    auto at = std::ranges::lower_bound(more_, s);
    if (at == more_.end() || *at != s) more_.insert(at, s);
  }
  void erase(Symbol s) {
    if (is_small(s)) {
      first_ &= ~bit(s);
      return;
    }
    auto at = std::ranges::lower_bound(more_, s);
    if (at != more_.end() && *at == s) more_.erase(at);
  }
  uint32_t size() const { return static_cast<uint32_t>(std::popcount(first_) + more_.size()); }

  // Calls visit(Symbol) in increasing order. The set must not change meanwhile.
  template <class Visit>
  void for_each(Visit visit) const {
    for (uint64_t word = first_; word != 0; word &= word - 1) {
      visit(Symbol(static_cast<uint32_t>(std::countr_zero(word))));
    }
    for (Symbol s : more_) visit(s);
  }
  // Does the test hold for some element?
  template <class Test>
  bool any_of(Test test) const {
    for (uint64_t word = first_; word != 0; word &= word - 1) {
      if (test(Symbol(static_cast<uint32_t>(std::countr_zero(word))))) return true;
    }
    return std::ranges::any_of(more_, test);
  }

  bool operator==(const SymbolSet&) const = default;

 private:
  static constexpr uint32_t kSmall = 64;

  static bool is_small(Symbol s) { return s.index() < kSmall; }
  static uint64_t bit(Symbol s) { return uint64_t{1} << s.index(); }

  uint64_t first_ = 0;
  std::vector<Symbol> more_;  // sorted
};

}  // namespace psi
