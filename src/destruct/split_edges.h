// Blocks on edges.
#pragma once

#include "psi/analyses.h"
#include "psi/counters.h"

namespace psi::destruction {

// Gives each edge from a block with several successors to one with phis and several predecessors a block of
// its own; edges between the same two blocks share one. Drops all analyses if it changes anything.
void split_critical_edges(Function& function, Analyses& analyses, Counters& counters);

}  // namespace psi::destruction
