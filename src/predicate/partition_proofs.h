// Proofs from the partition graph, in steps.
#pragma once

#include <span>
#include <vector>

#include "psi/predicate/explanation.h"
#include "psi/predicate/partition_graph.h"

namespace psi::predicate {

// Each function adds steps, the last of which is the goal; false, and nothing added, if there is no such
// proof.

// By paths: down from q, or from its summands, to p, or to all parts of a set that includes p. Linear in the
// graph.
bool show_subset_by_paths(const PartitionGraph& graph, Symbol p, Symbol q, std::span<const Symbol> summands,
                          std::vector<ProofStep>& proof);
// By a partition and paths down from two of its parts, or by several, one for each part of the younger set.
bool show_disjoint_by_paths(const PartitionGraph& graph, Symbol p, Symbol q, std::vector<ProofStep>& proof);

// By all conclusions from the partitions, in graphs small enough for the graph itself to compute them. Cubic
// in the symbols.
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
