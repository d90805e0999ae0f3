// How much of the heap a piece of work takes: all that it gets from malloc, also in shared libraries.
#pragma once

#include <cstddef>

namespace psi::bench {

// From when it is made until it is destroyed. One at a time, in a program of one thread.
class HeapMeter {
 public:
  HeapMeter();
  ~HeapMeter();
  HeapMeter(const HeapMeter&) = delete;
  HeapMeter& operator=(const HeapMeter&) = delete;

  // The most bytes that were allocated at a time, beyond those at the beginning.
  size_t peak() const;
};

}  // namespace psi::bench
