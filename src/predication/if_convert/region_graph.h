// A region as a separate graph: its blocks and exits, connected by edges under conditions.
//
//     @e: br %p, @a, @j          nodes 0 = @e, 1 = @a, 2 = @j (an exit)
//     @a: br @j                  edges 0 -> 1 if %p, 0 -> 2 if !%p, 1 -> 2
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "psi/analysis/order.h"
#include "psi/ir/function.h"
#include "psi/pass/analyses.h"

namespace psi::predication {

inline bool ends_in_unreachable(const Function& function, BlockId b) {
  return function.inst(function.insts(b).back()).op == Opcode::Unreachable;
}

// An acyclic set of blocks whose only entry is the first.
struct Region {
  std::vector<BlockId> blocks;  // each after its predecessors in the region

  BlockId entry() const { return blocks.front(); }
};

// Sorts them into layout order, if that is valid, and otherwise into reverse post-order; those that end in
// `unreachable` directly follow their only predecessor.
class RegionOrder {
 public:
  RegionOrder(const Function& function, Analyses& analyses);
  void sort(Region& region) const;

 private:
  const Function& function_;
  const Cfg& cfg_;
  const Order& order_;
  std::vector<uint32_t> place_;  // by BlockId: in the layout
};

class RegionGraph {
 public:
  static constexpr uint32_t kNone = UINT32_MAX;

  struct Edge {
    uint32_t from = 0;
    uint32_t to = 0;
    uint32_t index = 0;  // among the targets of the block that it leaves
  };

  // Every block of the region ends in one terminator without a guard. A block that ends in `unreachable`
  // follows its only predecessor, which has another successor. Linear, except for the search of common
  // post-dominators, which takes logarithmic time.
  RegionGraph(const Function& function, const Region& region);

  uint32_t num_blocks() const { return num_blocks_; }
  uint32_t num_nodes() const { return static_cast<uint32_t>(first_out_.size()) - 1; }
  // Nodes from num_blocks() on are exits: blocks outside, the region's own entry, or none: a return, or the
  // end after `unreachable`.
  BlockId block(uint32_t node) const { return blocks_[node]; }
  bool is_return(uint32_t node) const { return node == return_; }
  // The exits that control may take. `unreachable` needs none.
  std::span<const uint32_t> exits() const { return exits_; }

  // In the order of the nodes that they leave.
  const std::vector<Edge>& edges() const { return edges_; }
  // Numbers of edges, in order.
  std::span<const uint32_t> incoming(uint32_t node) const {
    return std::span(incoming_).subspan(first_in_[node], first_in_[node + 1] - first_in_[node]);
  }
  std::span<const Edge> outgoing(uint32_t node) const {
    return std::span(edges_).subspan(first_out_[node], first_out_[node + 1] - first_out_[node]);
  }
  uint32_t first_outgoing(uint32_t node) const { return first_out_[node]; }

  // The immediate post-dominator; kNone if there is none. Sides that end in `unreachable` do not count.
  uint32_t post_dominator(uint32_t node) const { return post_dominator_[node]; }
  // A block that ends in `unreachable`.
  bool is_unreachable_end(uint32_t node) const {
    return !is_exit(node) && never_ != kNone && edges_[first_out_[node]].to == never_;
  }

 private:
  void find_edges(const Function& function);
  void find_incoming();
  void find_post_dominators();
  bool is_exit(uint32_t node) const { return node >= num_blocks_; }

  uint32_t num_blocks_ = 0;
  std::vector<BlockId> blocks_;  // by node
  std::vector<Edge> edges_;
  std::vector<uint32_t> first_out_;  // by node, and one more: in edges_
  std::vector<uint32_t> first_in_;   // by node, and one more: in incoming_
  std::vector<uint32_t> incoming_;
  std::vector<uint32_t> post_dominator_;  // by node
  uint32_t return_ = kNone;
  uint32_t never_ = kNone;  // behind `unreachable`
  std::vector<uint32_t> exits_;
};

}  // namespace psi::predication
