// What is known of values: constants and copies.
#pragma once

#include <vector>

#include "psi/pass.h"

namespace psi {

// Finds the registers that hold the same constant wherever they are defined, and the branches that always go
// one way; both at once, each by the other's leave.
void sccp(PassContext& context);
std::vector<PassOption> sccp_options();

// Reads the source of a copy instead of the copy. Phis and psis that merge one value are copies of it.
void copy_propagate(PassContext& context);

}  // namespace psi
