// Classes of nodes of a region with equal control dependences, and their decisions.
//
// Blocks that depend on the same edges share a predicate (Park and Schlansker 1991): that of one edge is the
// outcome of its branch, that of several their disjunction. An edge between two blocks counts as a block, so
// that phis have predicates, too.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "predication/if_convert/region_graph.h"

namespace psi::predication {

class ControlClasses {
 public:
  // Executed whenever the region is.
  static constexpr uint32_t kAlways = 0;

  // Near-linear: where a node would depend on more than a few edges, its class is the disjunction of the
  // edges that lead to it.
  explicit ControlClasses(const RegionGraph& graph);

  uint32_t size() const { return static_cast<uint32_t>(first_.size()) - 1; }
  uint32_t of_node(uint32_t node) const { return node_class_[node]; }
  uint32_t of_edge(uint32_t edge) const { return edge_class_[edge]; }
  // The edges that a class depends on, in order: it is executed if one of them is taken. None for kAlways.
  std::span<const uint32_t> decisions(uint32_t c) const {
    return std::span(decisions_).subspan(first_[c], first_[c + 1] - first_[c]);
  }

 private:
  void find_dependences();
  uint32_t number(std::span<const uint32_t> decisions);
  void number_nodes();
  void number_edges();

  const RegionGraph& graph_;
  std::vector<std::vector<uint32_t>> depends_on_;  // by node: edges
  std::vector<uint32_t> node_class_;
  std::vector<uint32_t> edge_class_;
  std::vector<uint32_t> first_;  // by class, and one more: in decisions_
  std::vector<uint32_t> decisions_;
  std::vector<std::vector<uint32_t>> by_hash_;
};

}  // namespace psi::predication
