// Simplifications that are not rules of the tables, since they are not patterns of computing instructions.
// Each takes an instruction and returns the name of the change; null: none.
#pragma once

#include "optimise/algebra/known_bits.h"
#include "optimise/algebra/simplify_graph.h"

namespace psi::optimise {

// Copies, operations on literals and undef, operands in order.
const char* fold(SimplifyGraph& graph, InstId id);
const char* order_operands(SimplifyGraph& graph, InstId id);
// Trees of instructions that are truncated.
const char* narrow(SimplifyGraph& graph, KnownBits& known, InstId id);
// Phis and psis of equal values, and of equal operations on different values.
const char* simplify_phi(SimplifyGraph& graph, InstId id);
const char* simplify_psi(SimplifyGraph& graph, InstId id);
// Guards, branches and switches on computed predicates.
const char* simplify_guard(SimplifyGraph& graph, InstId id);
const char* simplify_branch(SimplifyGraph& graph, InstId id);

// The predicate whose complement an operand, in either polarity, reads; none if it reads no complement.
Operand complemented(SimplifyGraph& graph, Operand operand);

}  // namespace psi::optimise
