// Redundant computations under different guards.
#pragma once

#include <vector>

#include "psi/pass/pass.h"

namespace psi {

std::vector<PassOption> guarded_redundancy_options();
void guarded_redundancy(PassContext& context);

}  // namespace psi
