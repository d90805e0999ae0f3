// Immediate dominators by iteration, to be compared with semi-NCA.
#pragma once

#include "analysis/semi_nca.h"

namespace psi::analysis {

ImmediateDominators iterative_dominators(const ForwardGraph& graph);

}  // namespace psi::analysis
