// Reverse if-conversion: guards become branches.
#pragma once

#include <bitset>
#include <vector>

#include "psi/pass/pass.h"

namespace psi {

struct ReverseIfConvertOptions {
  // Computes predicates by compares and logic instead of cmpps.
  bool lower_cmpp = true;
  // Guards on these stay, terminators excepted: a branch is taken as soon as it can be.
  std::bitset<kNumOpcodes> kept;
};

// Removes the guards of a function in plain form. Near-linear. `remarks` may be null.
void reverse_if_convert(const Module& module, Function& function, Analyses& analyses,
                        const ReverseIfConvertOptions& options, Counters& counters,
                        Remarks* remarks = nullptr);

// The same as a pass, with its options by name.
void reverse_if_convert(PassContext& context);
std::vector<PassOption> reverse_if_convert_options();

}  // namespace psi
