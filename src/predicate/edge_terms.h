// The terms under which control leaves a block by each of its edges.
#pragma once

#include <vector>

#include "psi/predicate/predicates.h"

namespace psi::predicate {

struct EdgeTerm {
  BlockId target;
  Term term;
};

// The edges of a block in their order (Edge::index), and the term under which each is taken once the block is
// reached: no earlier terminator executes, its own does, and chooses it. SSA forms. Linear.
void collect_edge_terms(BlockId block, Predicates& predicates, std::vector<EdgeTerm>& edges);

}  // namespace psi::predicate
