// Copies that happen together: all of them read before any of them writes.
#pragma once

#include <cstdint>
#include <vector>

#include "psi/support/id.h"

namespace psi::live {

// Copies at a block's head, below its phis, and at its end, above its terminators, are parallel; others are
// sequential.
enum class Together : uint8_t { No, AtHead, AtEnd };

class ParallelCopies {
 public:
  Together together(InstId copy) const {
    return copy.index() < together_.size() ? together_[copy.index()] : Together::No;
  }
  void add(InstId copy, Together together) {
    if (copy.index() >= together_.size()) together_.resize(copy.index() + 1, Together::No);
    together_[copy.index()] = together;
  }

 private:
  std::vector<Together> together_;  // by InstId
};

}  // namespace psi::live
