// What simplification does besides the rules of the tables: what is not written as a pattern of instructions
// that compute. Each is given an instruction, and says by name what it did to it; null: nothing.
#pragma once

#include "transform/known_bits.h"
#include "transform/simplify_graph.h"

namespace psi::transform {

// Copies, operations on literals and undef, operands in order.
const char* fold(SimplifyGraph& graph, InstId id);
const char* order_operands(SimplifyGraph& graph, InstId id);
// Trees of instructions that are truncated.
const char* narrow(SimplifyGraph& graph, KnownBits& known, InstId id);
// Phis and psis of equal values, and of equal operations on different values.
const char* simplify_phi(SimplifyGraph& graph, InstId id);
const char* simplify_psi(SimplifyGraph& graph, InstId id);
// Guards, branches and switches on what is computed from another value.
const char* simplify_guard(SimplifyGraph& graph, InstId id);
const char* simplify_branch(SimplifyGraph& graph, InstId id);

// The predicate whose complement an operand, in either polarity, reads; none if it reads no complement.
Operand complemented(SimplifyGraph& graph, Operand operand);

}  // namespace psi::transform
