// x86-64; cycles are those of Skylake. cmov chooses. Addresses are base + index * 1, 2, 4 or 8 + 32-bit
// offset, which lea also computes.
#include <array>

#include "target/targets.h"

namespace psi::target {

Target x86_64() {
  static constexpr std::array kOffsets = {OffsetRange{.min = INT32_MIN, .max = INT32_MAX}};
  return {
      .name = "x86-64",
      .summary = "x86-64, as Skylake: conditional moves, rich addresses",
      .predication = Predication::Select,
      .issue_width = 4,
      .latencies = {.integer = 1, .multiply = 3, .load = 5, .floating = 4},
      .addressing = {
          .index = true, .index_with_offset = true, .max_scale = 8, .address_of = true, .offsets = kOffsets}};
}

}  // namespace psi::target
