// The built-in machines.
#pragma once

#include "psi/target.h"

namespace psi::target {

TargetTable builtin_machines();

}  // namespace psi::target
