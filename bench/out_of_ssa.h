// What leaving SSA form costs, and what it leaves behind: the same figures of psic and of LLVM.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "psi/pass/step_times.h"

namespace psi::bench {

struct OutOfSsa {
  uint64_t phis = 0;
  uint64_t inserted = 0;                // copies, also of constants
  uint64_t left = 0;                    // of these and of others, from register to register
  uint64_t constants = 0;               // moves of constants to registers that phis had joined
  std::optional<uint64_t> temporaries;  // for copies in cycles
  double weighted = 0;                  // copies left, by how often they are executed
  double seconds = 0;
  StepTimes steps;
  // Bytes of the heap: of the function that takes most, and of all functions together.
  size_t largest = 0;
  size_t memory = 0;

  // Copies executed for each phi executed in a function, by estimated frequencies. A function counts by its
  // number of phis: one deep nest of loops would outweigh all others.
  void weigh(uint64_t phis_of_function, double phi_frequency, double copy_frequency) {
    if (phi_frequency > 0) weighted += static_cast<double>(phis_of_function) * copy_frequency / phi_frequency;
  }
  void took(size_t bytes) {
    largest = std::max(largest, bytes);
    memory += bytes;
  }
  void add(const OutOfSsa& other) {
    for (auto member :
         {&OutOfSsa::phis, &OutOfSsa::inserted, &OutOfSsa::left, &OutOfSsa::constants, &OutOfSsa::memory}) {
      this->*member += other.*member;
    }
    if (other.temporaries) temporaries = temporaries.value_or(0) + *other.temporaries;
    weighted += other.weighted;
    seconds += other.seconds;
    steps.add(other.steps);
    largest = std::max(largest, other.largest);
  }
};

}  // namespace psi::bench
