// Computations that were done before under another guard.
#pragma once

#include <vector>

#include "psi/pass.h"

namespace psi {

std::vector<PassOption> guarded_redundancy_options();
void guarded_redundancy(PassContext& context);

}  // namespace psi
