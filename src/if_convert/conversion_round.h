// Looks at all regions of a function once, and converts those that are to be.
#pragma once

#include "psi/analyses.h"
#include "psi/counters.h"
#include "psi/if_convert.h"
#include "psi/remarks.h"
#include "psi/target.h"

namespace psi::if_conversion {

// Regions of more blocks are not looked at for what they cost.
inline constexpr size_t kMaxEstimated = 512;

inline bool can_convert(const Target& target) { return target.has_select || target.can_guard(Opcode::Mov); }

// A hyperblock has no room for what is executed more rarely.
inline double min_share(const IfConvertOptions& options) {
  return options.mode == IfConvertOptions::Mode::All ? 0 : 0.1;
}

// `round` counts from 0. False if nothing was converted, as after many rounds; then the remarks say why. All
// blocks are reachable, and stay so. Near-linear.
bool convert_regions(Function& function, Analyses& analyses, const Target& target,
                     const IfConvertOptions& options, int round, Counters& counters, Remarks* remarks);

}  // namespace psi::if_conversion
