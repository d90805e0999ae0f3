// Strongly connected components (Tarjan 1972), without recursion.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

namespace psi {

// Of a graph of numbered nodes; linear.
class Components {
 public:
  static constexpr uint32_t kNoNode = UINT32_MAX;

  explicit Components(uint32_t num_nodes) : number_(num_nodes, kNoNode), low_(num_nodes) {}

  bool is_visited(uint32_t node) const { return number_[node] != kNoNode; }

  // Visits the nodes reachable from `root` that were not visited before. `target(node, i)` is the target of
  // edge i of a node, below `num_edges(node)`, or kNoNode to leave it out. Calls component(members) for each
  // component, after its successors.
  template <class NumEdges, class Target, class Component>
  void visit(uint32_t root, NumEdges num_edges, Target target, Component component) {
    enter(root);
    while (!stack_.empty()) {
      auto [node, next] = stack_.back();
      if (next < num_edges(node)) {
        ++stack_.back().next;
        uint32_t to = target(node, next);
        if (to == kNoNode) continue;
        if (!is_visited(to)) {
          enter(to);
        } else {
          // In a finished component this is kDone, which lowers nothing.
          low_[node] = std::min(low_[node], low_[to]);
        }
        continue;
      }
      stack_.pop_back();
      if (!stack_.empty()) low_[stack_.back().node] = std::min(low_[stack_.back().node], low_[node]);
      if (low_[node] != number_[node]) continue;
      size_t first = open_.size();
      do --first;
      while (open_[first] != node);
      std::span<const uint32_t> members = std::span(open_).subspan(first);
      for (uint32_t member : members) low_[member] = kDone;
      component(members);
      open_.resize(first);
    }
  }

 private:
  static constexpr uint32_t kDone = UINT32_MAX;
  struct Visit {
    uint32_t node;
    uint32_t next;
  };

  void enter(uint32_t node) {
    number_[node] = low_[node] = count_++;
    open_.push_back(node);
    stack_.push_back({node, 0});
  }

  std::vector<uint32_t> number_;  // by node, in order of discovery
  std::vector<uint32_t> low_;     // by node: the least number known in its component; kDone when finished
  std::vector<uint32_t> open_;    // those whose component is not finished
  std::vector<Visit> stack_;
  uint32_t count_ = 0;
};

}  // namespace psi
