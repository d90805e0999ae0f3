// One iteration over all regions of a function: chooses and converts regions.
#pragma once

#include <array>
#include <cstddef>
#include <span>

#include "psi/pass/analyses.h"
#include "psi/pass/counters.h"
#include "psi/pass/remarks.h"
#include "psi/predication/if_convert.h"
#include "psi/target/target.h"

namespace psi::predication {

// Regions of more blocks are not estimated.
inline constexpr size_t kMaxEstimated = 512;

inline bool can_convert(const Target& target) { return target.has_select || target.can_guard(Opcode::Mov); }

// The least probabilities of blocks in a hyperblock, given its entry. Where the region does not pay with one,
// the next is tried.
inline std::span<const double> least_probabilities(const IfConvertOptions& options) {
  static constexpr std::array kAll{0.0};
  static constexpr std::array kCost{0.1, 0.2, 0.4, 0.6, 0.8};
  return options.mode == IfConvertOptions::Mode::All ? std::span<const double>(kAll) : kCost;
}

// The state of earlier iterations.
struct Progress {
  int iterations = 0;
  uint32_t regions = 0;
};

// One more iteration. False if nothing was converted, or the iteration limit is reached; then remarks give
// the reasons. All blocks are reachable, and stay so. Near-linear.
bool convert_regions(Function& function, Analyses& analyses, const Target& target,
                     const IfConvertOptions& options, Progress& progress, Counters& counters,
                     Remarks* remarks);

}  // namespace psi::predication
