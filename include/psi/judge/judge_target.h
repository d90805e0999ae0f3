// Judges a complete description beyond what its parser checks: what it covers, what is never chosen, what its
// sequences do when they are executed.
#pragma once

#include "psi/support/diagnostic.h"
#include "psi/target/description.h"

namespace psi {

// Errors and warnings, in the order of the file.
//
// - literals: each literal operand can be found from the literals of a program
// - overlap: no instruction is always beaten by another one of the same meaning (a warning)
// - coverage: each operation has a form, or an expansion that ends
// - sequences: a reload after a spill gives the value, a constant the constant, a copy the value
// - packets: each instruction fits one
// - frame: what a callee preserves can be spilled
// - latencies and forwarding: operands that they name exist
Diagnostics judge_target(const TargetDescription& description);

}  // namespace psi
