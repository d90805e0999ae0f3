// Unmeasured branches, assumed to be mispredicted half of the time.
#pragma once

#include <vector>

#include "psi/ir/function.h"
#include "psi/pass/analyses.h"

namespace psi::predication {

// Branches that stay within a loop, or outside of all, get counts as if each side had been taken as often.
// Those that leave loops or lead back are predicted well. Returns those branches. Linear.
std::vector<InstId> expect_mispredictions(Function& function, Analyses& analyses);

// Removes the assumed counts again.
void forget_mispredictions(Function& function, const std::vector<InstId>& branches);

}  // namespace psi::predication
