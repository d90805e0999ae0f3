// Sets of predicate symbols: one word where all are small, as they mostly are, and more where needed.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <vector>

#include "psi/partition_graph.h"

namespace psi {

class SymbolSet {
 public:
  bool empty() const { return first_ == 0 && more_.empty(); }
  bool contains(Symbol s) const {
    uint32_t word = s.index() / 64;
    if (word == 0) return first_ >> s.index() & 1;
    return word <= more_.size() && more_[word - 1] >> s.index() % 64 & 1;
  }
  void insert(Symbol s) {
    uint32_t word = s.index() / 64;
    if (word > more_.size()) more_.resize(word);
    (word == 0 ? first_ : more_[word - 1]) |= uint64_t{1} << s.index() % 64;
  }
  void erase(Symbol s) {
    uint32_t word = s.index() / 64;
    if (word > more_.size()) return;
    (word == 0 ? first_ : more_[word - 1]) &= ~(uint64_t{1} << s.index() % 64);
    // So that equal sets have equal words.
    while (!more_.empty() && more_.back() == 0) more_.pop_back();
  }
  uint32_t size() const {
    uint32_t count = static_cast<uint32_t>(std::popcount(first_));
    for (uint64_t word : more_) count += static_cast<uint32_t>(std::popcount(word));
    return count;
  }

  // Calls visit(Symbol) in increasing order; the set may lose elements meanwhile.
  template <class Visit>
  void for_each(Visit visit) const {
    visit_word(first_, 0, visit);
    for (uint32_t i = 0; i < more_.size(); ++i) visit_word(more_[i], 64 * (i + 1), visit);
  }
  // Is it so for some element?
  template <class Test>
  bool any_of(Test test) const {
    bool found = false;
    for_each([&](Symbol s) { found = found || test(s); });
    return found;
  }

  bool operator==(const SymbolSet&) const = default;

 private:
  template <class Visit>
  static void visit_word(uint64_t word, uint32_t base, Visit& visit) {
    for (; word != 0; word &= word - 1) visit(Symbol(base + static_cast<uint32_t>(std::countr_zero(word))));
  }

  uint64_t first_ = 0;
  std::vector<uint64_t> more_;  // without zeros at the end
};

}  // namespace psi
