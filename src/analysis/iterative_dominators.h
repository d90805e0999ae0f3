// Immediate dominators by iteration, a rival of semi-NCA.
#pragma once

#include "analysis/semi_nca.h"

namespace psi::analysis {

ImmediateDominators iterative_dominators(const ForwardGraph& graph, std::pmr::memory_resource& memory);

}  // namespace psi::analysis
