// Where control came from, told by the branches that it has taken since the immediate dominator.
#pragma once

#include "predicate/edge_terms.h"

namespace psi::predicate {

// For each predecessor of a block, its target: where control came from it. False if there are many blocks
// between, or loops. The branches' conditions must be known to `predicates`. SSA forms.
//
// All that the terms speak of was computed on the way from the dominator, which was gone once: what is
// dominated by the block cannot come before it there, so that no value is mixed up with one of another time.
bool collect_phi_gates(const Function& function, Analyses& analyses, BlockId block, Predicates& predicates,
                       std::vector<EdgeTerm>& gates);

}  // namespace psi::predicate
