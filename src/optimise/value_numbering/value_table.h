// A scoped table of expressions and their values: entries added since a mark are dropped at once.
//
// A key is a few words. One key may have several entries; the newest comes first.
#pragma once

#include <bit>
#include <cstdint>
#include <span>
#include <vector>

#include "psi/ir/operand.h"

namespace psi::optimise {

class ValueTable {
 public:
  // The words must stay where they are as long as the key is used.
  class Key {
   public:
    template <class Words>
    Key(const Words& words) : words_(words), hash_(0) {  // NOLINT(google-explicit-constructor)
      uint64_t hash = 0x9e37'79b9'7f4a'7c15;
      for (uint32_t word : words_) hash = (hash ^ word) * 0xd6e8'feb8'6659'fd93, hash ^= hash >> 32;
      hash_ = static_cast<uint32_t>(hash);
    }

   private:
    friend class ValueTable;
    std::span<const uint32_t> words_;
    uint32_t hash_;
  };

  explicit ValueTable(size_t expected) { heads_.resize(std::bit_ceil(expected + 16), kEnd); }

  // The first value for which accept(value) holds; none if there is none. A limited number is tried.
  template <class Accept>
  Operand find(const Key& key, Accept accept) const {
    int tries = kTries;
    for (uint32_t at = heads_[key.hash_ & (heads_.size() - 1)]; at != kEnd; at = entries_[at].next) {
      const Entry& entry = entries_[at];
      if (entry.hash != key.hash_ || !has_key(entry, key)) continue;
      if (accept(entry.value)) return entry.value;
      if (--tries == 0) break;
    }
    return {};
  }

  void add(const Key& key, Operand value) {
    if (entries_.size() == heads_.size()) grow();
    uint32_t& head = heads_[key.hash_ & (heads_.size() - 1)];
    uint32_t size = static_cast<uint32_t>(key.words_.size());
    entries_.push_back({key.hash_, num_words_, size, head, value});
    head = static_cast<uint32_t>(entries_.size() - 1);
    if (num_words_ + size > words_.size()) words_.resize(2 * words_.size() + size);
    for (uint32_t word : key.words_) words_[num_words_++] = word;
  }

  size_t mark() const { return entries_.size(); }
  void forget_to(size_t mark) {
    while (entries_.size() > mark) {
      const Entry& last = entries_.back();
      heads_[last.hash & (heads_.size() - 1)] = last.next;
      num_words_ = last.start;
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

  // Keys are short: comparing them inline is faster than a call.
  bool has_key(const Entry& entry, const Key& key) const {
    if (entry.size != key.words_.size()) return false;
    const uint32_t* words = words_.data() + entry.start;
    for (uint32_t i = 0; i < entry.size; ++i) {
      if (words[i] != key.words_[i]) return false;
    }
    return true;
  }

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
  std::vector<uint32_t> words_;  // of the keys, the first num_words_
  uint32_t num_words_ = 0;
};

}  // namespace psi::optimise
