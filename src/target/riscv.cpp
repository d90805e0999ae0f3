// RISC-V RV64GC without extensions for conditional operations; cycles are those of SiFive's U74, which starts
// two instructions at a time. Addresses are base + 12-bit offset.
#include <array>

#include "target/targets.h"

namespace psi::target {

Target riscv() {
  static constexpr std::array kOffsets = {OffsetRange{.min = -2048, .max = 2047}};
  return {.name = "riscv",
          .summary = "RISC-V RV64GC, as SiFive U74: branches only",
          .predication = Predication::None,
          .issue_width = 2,
          .latencies = {.integer = 1, .multiply = 3, .load = 3, .floating = 7},
          .addressing = {.offsets = kOffsets}};
}

}  // namespace psi::target
