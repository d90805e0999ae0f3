// Reverse if-conversion: branches in the place of guards.
#pragma once

#include <vector>

#include "psi/pass.h"

namespace psi {

struct ReverseIfConvertOptions {
  // Computes predicates by compares and logic instead of cmpps.
  bool lower_cmpp = true;
};

// Rids a function in plain form of its guards. Near-linear. `remarks` may be null.
void reverse_if_convert(const Module& module, Function& function, Analyses& analyses,
                        const ReverseIfConvertOptions& options, Counters& counters,
                        Remarks* remarks = nullptr);

// The same as a pass, with its options by name.
void reverse_if_convert(PassContext& context);
std::vector<PassOption> reverse_if_convert_options();

}  // namespace psi
