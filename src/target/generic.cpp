// No machine in particular: everything is allowed, so that passes do what shortens the program. The cycles
// are what many machines have.
#include <array>

#include "target/targets.h"

namespace psi::target {

Target generic() {
  static constexpr std::array kOffsets = {OffsetRange{.min = INT64_MIN, .max = INT64_MAX}};
  return {.name = "generic",
          .summary = "no machine in particular; every address in one instruction",
          .predication = Predication::Full,
          .issue_width = 4,
          .latencies = {.integer = 1, .multiply = 3, .load = 3, .floating = 4},
          .addressing = {.index = true,
                         .index_with_offset = true,
                         .any_scale = true,
                         .address_of = true,
                         .offsets = kOffsets}};
}

}  // namespace psi::target
