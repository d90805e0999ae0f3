// The predecessor that control came from, by the branches taken since the immediate dominator.
#pragma once

#include "predicate/edge_terms.h"

namespace psi::predicate {

// For each predecessor of a block, the term under which control came from it. False if there are many blocks
// between, or loops. The branches' conditions must be known to `predicates`. SSA forms.
//
// All values in the terms are computed on a path from the dominator that is taken once: a block dominated by
// this one cannot precede it there, so values of different iterations are not confused.
bool collect_phi_gates(Analyses& analyses, BlockId block, Predicates& predicates,
                       std::vector<EdgeTerm>& gates);

}  // namespace psi::predicate
