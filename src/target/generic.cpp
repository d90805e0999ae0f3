// No machine in particular: all is allowed and costs the same, so that passes do what shortens the program.
#include <array>

#include "target/targets.h"

namespace psi::target {

Target generic() {
  static constexpr std::array kOffsets = {OffsetRange{.min = INT64_MIN, .max = INT64_MAX}};
  return {.name = "generic",
          .summary = "no machine in particular; every address in one instruction",
          .predication = Predication::Full,
          .issue_width = 4,
          .latencies = {},
          .addressing = {.index = true,
                         .index_with_offset = true,
                         .any_scale = true,
                         .address_of = true,
                         .offsets = kOffsets}};
}

}  // namespace psi::target
