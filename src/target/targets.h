// The machines, one file each.
#pragma once

#include "psi/target.h"

namespace psi::target {

Target generic();
Target hexagon();
Target st200();
Target itanium();
Target x86_64();
Target aarch64();
Target riscv();

}  // namespace psi::target
