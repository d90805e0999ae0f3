// Looks at all regions of a function once, and converts those that are to be.
#pragma once

#include <array>
#include <cstddef>
#include <span>

#include "psi/analyses.h"
#include "psi/counters.h"
#include "psi/if_convert.h"
#include "psi/remarks.h"
#include "psi/target.h"

namespace psi::if_conversion {

// Regions of more blocks are not looked at for what they cost.
inline constexpr size_t kMaxEstimated = 512;

inline bool can_convert(const Target& target) { return target.has_select || target.can_guard(Opcode::Mov); }

// A hyperblock has no room for blocks that are executed more rarely, for each execution of its entry. Where
// it does not pay as it is, it is tried with the next.
inline std::span<const double> shares(const IfConvertOptions& options) {
  static constexpr std::array kAll{0.0};
  static constexpr std::array kCost{0.1, 0.2, 0.4, 0.6, 0.8};
  return options.mode == IfConvertOptions::Mode::All ? std::span<const double>(kAll) : kCost;
}

// What was done to a function before.
struct Progress {
  int rounds = 0;
  uint32_t regions = 0;
};

// One round more. False if nothing was converted, as after many rounds; then the remarks say why. All blocks
// are reachable, and stay so. Near-linear.
bool convert_regions(Function& function, Analyses& analyses, const Target& target,
                     const IfConvertOptions& options, Progress& progress, Counters& counters,
                     Remarks* remarks);

}  // namespace psi::if_conversion
