// The two methods that find which registers interfere.
#pragma once

#include <vector>

#include "live/parallel_copies.h"
#include "psi/ir/function.h"
#include "psi/live/predicate_flow.h"
#include "psi/pass/analyses.h"

namespace psi::live {

// For each register its neighbours of higher number, in order.
using InterferingPairs = std::vector<std::vector<Reg>>;

// Johnson and Schlansker 1996: one is defined, under a predicate, where the other is live under one that is
// not disjoint. Copies of a group write together, after all of them have read.
InterferingPairs pairs_by_flow(const Function& function, Analyses& analyses, FlowScope scope,
                               const ParallelCopies& copies);
// SSA forms: one is written within a segment of the other's live range, where that is needed.
InterferingPairs pairs_by_ranges(const Function& function, Analyses& analyses, bool predicates);

}  // namespace psi::live
