// Qualcomm Hexagon V60. Packets of four. ALU32 instructions, loads, stores and jumps take a predicate or its
// complement. Addresses are base + #s11 in units of the access, or base + index << #0..3; a constant
// extender, one more word of the packet, makes an offset as wide as a register.
#include <array>

#include "target/targets.h"

namespace psi::target {

Target hexagon() {
  static constexpr std::array kOffsets = {OffsetRange{.min = -1024, .max = 1023, .scaled = true},
                                          OffsetRange{.min = INT32_MIN, .max = INT32_MAX, .extended = true}};
  return {.name = "hexagon",
          .summary = "Qualcomm Hexagon V60: predicated VLIW of four",
          .predication = Predication::Full,
          .issue_width = 4,
          .latencies = {.integer = 1, .multiply = 3, .load = 3, .floating = 4},
          .addressing = {.index = true, .max_scale = 8, .offsets = kOffsets}};
}

}  // namespace psi::target
