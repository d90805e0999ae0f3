// AArch64; cycles are those of Cortex-A72. csel chooses. Addresses are base + 12 unsigned bits in units of
// the access, base + 9 signed bits, or base + index, which may be shifted by the access's size.
#include <array>

#include "target/targets.h"

namespace psi::target {

Target aarch64() {
  static constexpr std::array kOffsets = {OffsetRange{.min = 0, .max = 4095, .scaled = true},
                                          OffsetRange{.min = -256, .max = 255}};
  return {.name = "aarch64",
          .summary = "AArch64, as Cortex-A72: conditional selects",
          .predication = Predication::Select,
          .issue_width = 3,
          .latencies = {.integer = 1, .multiply = 3, .load = 4, .floating = 4},
          .addressing = {.index = true, .scale_by_size = true, .offsets = kOffsets}};
}

}  // namespace psi::target
