// Memory for one piece of work: allocated piecewise, freed at once. Most functions are small, and work on
// them should not spend its time in the allocator.
#pragma once

#include <array>
#include <cstddef>
#include <memory_resource>

namespace psi {

// Enough for a function of a hundred instructions, without an allocation.
struct FirstScratch {
  std::array<std::byte, 32 * 1024> bytes;
};

// For std::pmr containers, which must not outlive it.
class Scratch : private FirstScratch, public std::pmr::monotonic_buffer_resource {
 public:
  Scratch() : monotonic_buffer_resource(bytes.data(), bytes.size()) {}
};

}  // namespace psi
