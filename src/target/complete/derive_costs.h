// What a complete description implies of the cost-only one: guardable opcodes, latencies, units, registers,
// immediates, addresses.
#pragma once

#include "psi/target/description.h"
#include "psi/target/target.h"

namespace psi::target {

Target derive_costs(const TargetDescription& description);

}  // namespace psi::target
