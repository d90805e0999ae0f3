// Where control leaves a block by which of its edges.
#pragma once

#include <vector>

#include "psi/predicates.h"

namespace psi::predicate {

struct EdgeTerm {
  BlockId target;
  Term term;
};

// The edges of a block in their order (Edge::index), and where each is taken once the block is reached: no
// terminator before its own executes, its own does, and that chooses it. SSA forms. Linear.
void collect_edge_terms(const Function& function, BlockId block, Predicates& predicates,
                        std::vector<EdgeTerm>& edges);

}  // namespace psi::predicate
