// Partial redundancy elimination.
#pragma once

#include <vector>

#include "psi/pass/pass.h"

namespace psi {

std::vector<PassOption> pre_options();
void pre(PassContext& context);

}  // namespace psi
