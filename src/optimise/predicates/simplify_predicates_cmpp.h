// cmpps that are plain compares.
#pragma once

#include "psi/pass/analyses.h"
#include "psi/pass/counters.h"

namespace psi::optimise {

// Drops targets that nothing reads, and makes a cmp of a cmpp that only compares. SSA form. Linear.
void simplify_cmpp(Function& function, Analyses& analyses, Counters& counters);

}  // namespace psi::optimise
