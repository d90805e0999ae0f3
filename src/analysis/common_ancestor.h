// Lowest common ancestors in the dominator tree, by preorder number.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <memory_resource>
#include <span>
#include <utility>
#include <vector>

#include "psi/analysis/dominators.h"

namespace psi::analysis {

// For u before v in preorder the ancestor is the parent of the shallowest block after u up to v. The minima
// of rows of 16 blocks are stored for every power of two rows; the rest is scanned. Nearly linear space and
// constant time.
class CommonAncestor {
 public:
  CommonAncestor(const Dominators& dominators, std::pmr::memory_resource& memory)
      : dominators_(dominators), minima_(&memory) {
    std::span<const BlockId> preorder = dominators.preorder();
    uint32_t rows = static_cast<uint32_t>(preorder.size() + kRow - 1) / kRow;
    minima_.emplace_back(rows);
    for (uint32_t row = 0; row < rows; ++row) {
      uint32_t end = std::min<uint32_t>((row + 1) * kRow, static_cast<uint32_t>(preorder.size()));
      minima_[0][row] = scan(row * kRow, end);
    }
    for (uint32_t width = 1; 2 * width <= rows; width *= 2) {
      minima_.emplace_back(rows - 2 * width + 1);
      const std::pmr::vector<uint32_t>& half = minima_[minima_.size() - 2];
      std::pmr::vector<uint32_t>& whole = minima_.back();
      for (uint32_t row = 0; row < whole.size(); ++row) whole[row] = shallower(half[row], half[row + width]);
    }
  }

  // Of two reachable blocks.
  BlockId operator()(BlockId a, BlockId b) const {
    if (a == b) return a;
    uint32_t u = dominators_.pre_number(a), v = dominators_.pre_number(b);
    if (u > v) std::swap(u, v);
    return dominators_.idom(dominators_.preorder()[shallowest(u + 1, v + 1)]);
  }

 private:
  static constexpr uint32_t kRow = 16;

  uint32_t level(uint32_t number) const { return dominators_.level(dominators_.preorder()[number]); }
  uint32_t shallower(uint32_t x, uint32_t y) const { return level(y) < level(x) ? y : x; }
  uint32_t scan(uint32_t first, uint32_t end) const {
    uint32_t best = first;
    for (uint32_t i = first + 1; i < end; ++i) best = shallower(best, i);
    return best;
  }

  uint32_t shallowest(uint32_t first, uint32_t end) const {
    uint32_t first_row = (first + kRow - 1) / kRow, end_row = end / kRow;
    if (first_row >= end_row) return scan(first, end);
    uint32_t power = 31 - static_cast<uint32_t>(std::countl_zero(end_row - first_row));
    uint32_t best = shallower(minima_[power][first_row], minima_[power][end_row - (1u << power)]);
    if (first < first_row * kRow) best = shallower(best, scan(first, first_row * kRow));
    if (end_row * kRow < end) best = shallower(best, scan(end_row * kRow, end));
    return best;
  }

  const Dominators& dominators_;
  std::pmr::vector<std::pmr::vector<uint32_t>> minima_;  // by power of two, then by first row
};

}  // namespace psi::analysis
