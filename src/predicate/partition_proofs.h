// Proofs from the partition graph, in steps.
#pragma once

#include <span>
#include <vector>

#include "psi/partition_graph.h"
#include "psi/predicate_explanation.h"

namespace psi::predicate {

// Each of these adds steps, of which the last shows what is asked for; false, and nothing added, if there is
// no such proof.

// By ways: down from q, or from its summands, to p, or to all parts of what includes p. Linear in the graph.
bool show_subset_by_ways(const PartitionGraph& graph, Symbol p, Symbol q, std::span<const Symbol> summands,
                         std::vector<ProofStep>& proof);
// By a partition and ways down from two of its parts, or by several, one for each part of the younger set.
bool show_disjoint_by_ways(const PartitionGraph& graph, Symbol p, Symbol q, std::vector<ProofStep>& proof);

// By all that follows from the partitions, in graphs that are small enough for the graph itself to work that
// out. Cubic in the symbols.
constexpr uint32_t kMaxInferred = 64;
bool show_subset_by_inference(const PartitionGraph& graph, Symbol p, Symbol q,
                              std::span<const Symbol> summands, std::vector<ProofStep>& proof);
bool show_disjoint_by_inference(const PartitionGraph& graph, Symbol p, Symbol q,
                                std::vector<ProofStep>& proof);

// Shared by the two.
ProofStep partition_step(const PartitionGraph& graph, ProofStep::Rule rule, const PredicateQuestion& shows,
                         PartitionGraph::PartitionId partition);
ProofStep summand_step(const PartitionGraph& graph, Symbol summand, Symbol sum,
                       std::span<const Symbol> summands);

}  // namespace psi::predicate
