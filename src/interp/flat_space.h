// The 4 GiB of addresses of a program with pointers of 32 bits: where each object lies, and which object an
// address belongs to.
//
//   0x0000'0000 ..  null
//   0x0001'0000 ..  functions and globals, in the order of their declarations
//   0x4000'0000 ..  heap blocks
//   0xa000'0000 ..  slots
//   0xf000'0000 ..  nothing; marks of the stack
//
// Within its range an object lies above the ones before it, with a gap that belongs to the lower one, so that
// an access a little beyond an object is not one to another. Addresses are not used again before the range is
// exhausted, so an access after free or after return is caught until then.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

namespace psi::interp {

class FlatSpace {
 public:
  enum class Range : uint8_t { Symbols, Heap, Slots };
  static constexpr uint32_t kNoObject = UINT32_MAX;
  static constexpr uint32_t kSlotBase = 0xa000'0000;
  static constexpr uint32_t kStackMarks = 0xf000'0000;
  // Objects start at multiples of this.
  static constexpr uint32_t kGranule = 256;

  // The object that the address belongs to or belonged to last, by its id, and where it starts.
  struct Owner {
    uint32_t id = kNoObject;
    uint32_t start = 0;
  };
  Owner owner_of(uint32_t address) const {
    const Leaf* leaf = leaves_[address >> kLeafBits].get();
    return leaf ? (*leaf)[address % kLeafSize / kGranule] : Owner();
  }

  // Is an address close enough to null to come from a null pointer?
  static bool is_near_null(uint32_t address) { return address < kNearNull || address >= 0u - kNearNull; }

  // The place of a new object, under its id; 0 if there is no room. `is_alive` says of an id whether its
  // object may be in the way.
  template <class IsAlive>
  uint32_t place(Range range, uint64_t size, uint64_t align, uint32_t id, IsAlive is_alive);

 private:
  static constexpr uint32_t kLeafBits = 20;
  static constexpr uint32_t kLeafSize = 1 << kLeafBits;
  static constexpr uint32_t kNearNull = 0x1'0000;
  using Leaf = std::array<Owner, kLeafSize / kGranule>;

  struct Limits {
    uint64_t first, end;
  };
  static constexpr std::array<Limits, 3> kLimits = {{
      {kNearNull, 0x4000'0000},
      {0x4000'0000, kSlotBase},
      {kSlotBase, kStackMarks},
  }};

  // How much room the object takes, with the gap above it: larger above larger ones.
  static uint64_t room(uint64_t size);
  void fill(uint64_t first, uint64_t end, uint32_t id);

  std::array<std::unique_ptr<Leaf>, 1 << (32 - kLeafBits)> leaves_;
  std::array<uint64_t, 3> next_ = {kLimits[0].first, kLimits[1].first, kLimits[2].first};
  std::array<bool, 3> has_wrapped_{};
};

template <class IsAlive>
uint32_t FlatSpace::place(Range range, uint64_t size, uint64_t align, uint32_t id, IsAlive is_alive) {
  auto r = static_cast<size_t>(range);
  const Limits& limits = kLimits[r];
  uint64_t step = align > kGranule ? align : kGranule, span = room(size);
  auto aligned = [&](uint64_t address) { return (address + step - 1) / step * step; };
  uint64_t first = aligned(next_[r]);
  // Once through the range from where the last one was placed, and up to there again.
  bool starts_again = false;
  for (uint64_t at = first; at < first + span;) {
    if (first + span > limits.end) {
      if (starts_again) return 0;
      starts_again = has_wrapped_[r] = true;
      first = at = aligned(limits.first);
      continue;
    }
    if (!has_wrapped_[r]) break;
    uint32_t other = owner_of(static_cast<uint32_t>(at)).id;
    at += kGranule;
    if (other != kNoObject && is_alive(other)) first = aligned(at);
    if (at < first) at = first;
  }
  fill(first, first + span, id);
  next_[r] = first + span;
  return static_cast<uint32_t>(first);
}

}  // namespace psi::interp
