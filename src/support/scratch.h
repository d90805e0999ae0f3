// Memory for one piece of work: handed out bit by bit, taken back all at once. Functions are many and mostly
// small, and work on a small one should not spend its time in the allocator.
#pragma once

#include <array>
#include <cstddef>
#include <memory_resource>

namespace psi {

// What a function of a hundred instructions needs is here already, and warm.
struct FirstScratch {
  std::array<std::byte, 32 * 1024> bytes;
};

// Give it to what is made of std::pmr containers, which must not outlive it.
class Scratch : private FirstScratch, public std::pmr::monotonic_buffer_resource {
 public:
  Scratch() : monotonic_buffer_resource(bytes.data(), bytes.size()) {}
};

}  // namespace psi
