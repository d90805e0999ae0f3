// Splits critical edges.
#pragma once

#include "psi/pass/analyses.h"
#include "psi/pass/counters.h"

namespace psi::cfg {

// Splits each edge from a block with several successors to one with phis and several predecessors; edges
// between the same two blocks share the new block. Drops all analyses if it changes anything.
void split_critical_edges(Function& function, Analyses& analyses, Counters& counters);

}  // namespace psi::cfg
