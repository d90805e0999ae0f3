// Compares to predicates that do no more than a compare.
#pragma once

#include "psi/analyses.h"
#include "psi/counters.h"

namespace psi::transform {

// Drops targets that nothing reads, and makes a cmp of a cmpp that only compares. SSA form. Linear.
void simplify_cmpp(Function& function, Analyses& analyses, Counters& counters);

}  // namespace psi::transform
