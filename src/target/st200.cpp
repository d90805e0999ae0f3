// STMicroelectronics ST231, of the ST200 family. Bundles of four; `slct` chooses by one of eight branch
// registers, and there are no guards. Addresses are base + 9-bit offset; an immediate extension, one more
// syllable of the bundle, makes it 32 bits wide. No floating point.
#include <array>

#include "target/targets.h"

namespace psi::target {

Target st200() {
  static constexpr std::array kOffsets = {OffsetRange{.min = -256, .max = 255},
                                          OffsetRange{.min = INT32_MIN, .max = INT32_MAX, .extended = true}};
  return {.name = "st200",
          .summary = "STMicroelectronics ST231: VLIW of four with selects",
          .predication = Predication::Select,
          .issue_width = 4,
          .latencies = {.integer = 1, .multiply = 3, .load = 3, .floating = 0},
          .addressing = {.offsets = kOffsets}};
}

}  // namespace psi::target
