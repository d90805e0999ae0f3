// A hash of words, in the order in which they are added: for tables, and to see whether something has
// changed. The same on every machine.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>

namespace psi {

class Hash {
 public:
  // Bijective in each word, so that two sequences that differ in one word never collide.
  void add(uint64_t word) {
    state_ = (state_ ^ word) * 0xd6e8feb86659fd93 + 0x9e3779b97f4a7c15;
    state_ ^= state_ >> 32;
  }
  void add(std::string_view text) {
    add(text.size());
    for (size_t i = 0; i < text.size(); i += sizeof(uint64_t)) {
      uint64_t word = 0;
      std::memcpy(&word, text.data() + i, std::min(sizeof(word), text.size() - i));
      add(word);
    }
  }
  uint64_t value() const { return state_; }

 private:
  uint64_t state_ = 0;
};

inline uint64_t hash_of(std::span<const uint32_t> words) {
  Hash hash;
  hash.add(words.size());
  for (uint32_t word : words) hash.add(word);
  return hash.value();
}

}  // namespace psi
