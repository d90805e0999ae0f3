// Random numbers that are the same on every platform, which the distributions of <random> are not.
#pragma once

#include <cstdint>
#include <initializer_list>

namespace psi {

// splitmix64 (Steele, Lea, Flood: Fast splittable pseudorandom number generators, 2014).
class Random {
 public:
  explicit Random(uint64_t seed) : state_(seed) {}

  uint64_t next() {
    uint64_t z = state_ += 0x9e37'79b9'7f4a'7c15;
    z = (z ^ z >> 30) * 0xbf58'476d'1ce4'e5b9;
    z = (z ^ z >> 27) * 0x94d0'49bb'1331'11eb;
    return z ^ z >> 31;
  }
  // Below n, which must not be 0.
  uint32_t below(uint32_t n) { return static_cast<uint32_t>((next() >> 32) * n >> 32); }
  // From first to last, both included.
  int64_t range(int64_t first, int64_t last) {
    return first + static_cast<int64_t>(next() % (static_cast<uint64_t>(last - first) + 1));
  }
  bool percent(uint32_t p) { return below(100) < p; }
  bool coin() { return next() >> 63; }

  template <class T>
  T one_of(std::initializer_list<T> list) {
    return list.begin()[below(static_cast<uint32_t>(list.size()))];
  }
  template <class Container>
  const auto& element(const Container& container) {
    return container[below(static_cast<uint32_t>(container.size()))];
  }

 private:
  uint64_t state_;
};

// A seed for the `index`th of many things made from `seed`.
inline uint64_t derive_seed(uint64_t seed, uint64_t index) {
  Random random(seed ^ (index + 1) * 0xd6e8'feb8'6659'fd93);
  return random.next();
}

}  // namespace psi
