// Intel Itanium 2. Two bundles of three in a cycle; every instruction takes a predicate. Addresses are a
// register, which an access may increment afterwards. Integers are multiplied by the floating-point unit:
// setf (6), xma (4), getf (5).
#include "target/targets.h"

namespace psi::target {

Target itanium() {
  return {.name = "itanium",
          .summary = "Intel Itanium 2: two bundles of three, every instruction predicated",
          .predication = Predication::Full,
          .issue_width = 6,
          .latencies = {.integer = 1, .multiply = 15, .load = 1, .floating = 4},
          .addressing = {.offsets = {}}};
}

}  // namespace psi::target
