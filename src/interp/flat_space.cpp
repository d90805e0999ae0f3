#include "interp/flat_space.h"

#include <algorithm>

namespace psi::interp {

uint64_t FlatSpace::room(uint64_t size) {
  constexpr uint64_t kLargestGap = 0x1'0000;
  uint64_t gap = std::clamp<uint64_t>(size / 4, kGranule, kLargestGap);
  return (size + gap + kGranule - 1) / kGranule * kGranule;
}

void FlatSpace::fill(uint64_t first, uint64_t end, uint32_t id) {
  Owner owner = {id, static_cast<uint32_t>(first)};
  while (first < end) {
    std::unique_ptr<Leaf>& leaf = leaves_[first >> kLeafBits];
    if (!leaf) leaf = std::make_unique<Leaf>();
    uint64_t leaf_end = std::min<uint64_t>(end, (first / kLeafSize + 1) * kLeafSize);
    auto from = static_cast<size_t>(first % kLeafSize / kGranule);
    std::fill_n(leaf->begin() + static_cast<std::ptrdiff_t>(from), (leaf_end - first) / kGranule, owner);
    first = leaf_end;
  }
}

}  // namespace psi::interp
