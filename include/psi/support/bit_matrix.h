// A matrix of bits, each row in whole words.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace psi {

class BitMatrix {
 public:
  BitMatrix() = default;
  BitMatrix(uint32_t rows, uint32_t columns)
      : words_per_row_((size_t{columns} + 63) / 64), words_(rows * words_per_row_) {}

  bool test(uint32_t row, uint32_t column) const {
    return words_[row * words_per_row_ + column / 64] >> column % 64 & 1;
  }
  void set(uint32_t row, uint32_t column) { word(row, column) |= uint64_t{1} << column % 64; }
  void reset(uint32_t row, uint32_t column) { word(row, column) &= ~(uint64_t{1} << column % 64); }

  // Bits beyond the last column are zero, and must stay so.
  std::span<uint64_t> row(uint32_t row) {
    return std::span(words_).subspan(row * words_per_row_, words_per_row_);
  }
  std::span<const uint64_t> row(uint32_t row) const {
    return std::span(words_).subspan(row * words_per_row_, words_per_row_);
  }
  // Calls visit(uint32_t) for each column whose bit is set, in order.
  template <class Visit>
  void for_each_set(uint32_t row, Visit visit) const {
    for (size_t i = 0; i < words_per_row_; ++i) {
      for (uint64_t left = words_[row * words_per_row_ + i]; left != 0; left &= left - 1) {
        visit(static_cast<uint32_t>(i * 64) + static_cast<uint32_t>(std::countr_zero(left)));
      }
    }
  }

 private:
  uint64_t& word(uint32_t row, uint32_t column) { return words_[row * words_per_row_ + column / 64]; }

  size_t words_per_row_ = 0;
  std::vector<uint64_t> words_;
};

}  // namespace psi
