// Constant and copy propagation.
#pragma once

#include <vector>

#include "psi/pass/pass.h"

namespace psi {

// Finds registers that hold the same constant wherever they are defined, and branches that are decided;
// interleaved, so that each enables the other.
void sccp(PassContext& context);
std::vector<PassOption> sccp_options();

// Reads the source of a copy instead of the copy. Phis and psis that merge one value are copies of it.
void copy_propagate(PassContext& context);

}  // namespace psi
