// Expressions and what holds their value, in scopes: what was added since a mark is forgotten at once.
//
// A key is a few words. One key may have several entries; the one that was added last is met first.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <span>
#include <vector>

#include "psi/operand.h"

namespace psi::transform {

class ValueTable {
 public:
  using Key = std::span<const uint32_t>;

  explicit ValueTable(size_t expected) { heads_.resize(std::bit_ceil(expected + 16), kEnd); }

  // The first value for which accept(value) holds; none if there is none. Only so many are tried.
  template <class Accept>
  Operand find(Key key, Accept accept) const {
    uint32_t hash = hash_of(key);
    int tries = kTries;
    for (uint32_t at = heads_[hash & (heads_.size() - 1)]; at != kEnd; at = entries_[at].next) {
      const Entry& entry = entries_[at];
      if (entry.hash != hash || !std::ranges::equal(key_of(entry), key)) continue;
      if (accept(entry.value)) return entry.value;
      if (--tries == 0) break;
    }
    return {};
  }

  void add(Key key, Operand value) {
    if (entries_.size() == heads_.size()) grow();
    uint32_t hash = hash_of(key);
    uint32_t& head = heads_[hash & (heads_.size() - 1)];
    entries_.push_back(
        {hash, static_cast<uint32_t>(words_.size()), static_cast<uint32_t>(key.size()), head, value});
    head = static_cast<uint32_t>(entries_.size() - 1);
    words_.insert(words_.end(), key.begin(), key.end());
  }

  size_t mark() const { return entries_.size(); }
  void forget_to(size_t mark) {
    while (entries_.size() > mark) {
      const Entry& last = entries_.back();
      heads_[last.hash & (heads_.size() - 1)] = last.next;
      words_.resize(last.start);
      entries_.pop_back();
    }
  }

 private:
  static constexpr uint32_t kEnd = UINT32_MAX;
  static constexpr int kTries = 16;

  struct Entry {
    uint32_t hash;
    uint32_t start;
    uint32_t size;
    uint32_t next;
    Operand value;
  };

  static uint32_t hash_of(Key key) {
    uint64_t hash = 0x9e37'79b9'7f4a'7c15;
    for (uint32_t word : key) hash = (hash ^ word) * 0xd6e8'feb8'6659'fd93, hash ^= hash >> 32;
    return static_cast<uint32_t>(hash);
  }
  Key key_of(const Entry& entry) const { return Key(words_).subspan(entry.start, entry.size); }

  void grow() {
    heads_.assign(heads_.size() * 2, kEnd);
    for (uint32_t i = 0; i < entries_.size(); ++i) {
      uint32_t& head = heads_[entries_[i].hash & (heads_.size() - 1)];
      entries_[i].next = head;
      head = i;
    }
  }

  std::vector<uint32_t> heads_;
  std::vector<Entry> entries_;
  std::vector<uint32_t> words_;
};

}  // namespace psi::transform
