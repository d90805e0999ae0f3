// The dominator tree: block a dominates block b if every path from the entry to b goes through a.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "psi/analysis/cfg.h"
#include "psi/pass/analyses.h"

namespace psi {

// A tree over some of the blocks, numbered so that "is a above b" takes constant time. Shared by dominators
// and post-dominators.
class BlockTree {
 public:
  BlockTree() = default;
  // `order` lists the tree's nodes, parents before their children; parents[i] is the position in it of the
  // parent of order[i], and the root, which comes first, has itself. All ids are below num_nodes. Linear.
  BlockTree(uint32_t num_nodes, std::span<const BlockId> order, std::span<const uint32_t> parents);

  bool contains(BlockId b) const { return node(b).size != 0; }
  // None for the root and for blocks outside the tree.
  BlockId parent(BlockId b) const { return node(b).parent; }
  // Is a equal to b or above it? b must be in the tree; no block outside is above one inside.
  bool is_above(BlockId a, BlockId b) const { return node(b).pre - node(a).pre < node(a).size; }
  uint32_t level(BlockId b) const { return node(b).level; }
  std::span<const BlockId> children(BlockId b) const {
    uint32_t first = node(b).first_child;
    return std::span(children_).subspan(first, nodes_[b.index() + 1].first_child - first);
  }
  std::span<const BlockId> preorder() const { return preorder_; }
  uint32_t pre_number(BlockId b) const { return node(b).pre; }
  uint32_t subtree_size(BlockId b) const { return node(b).size; }

  bool operator==(const BlockTree&) const = default;

 private:
  struct Node {
    BlockId parent;
    uint32_t pre = 0;
    uint32_t size = 0;
    uint32_t level = 0;
    uint32_t first_child = 0;  // in children_
    bool operator==(const Node&) const = default;
  };

  Node& node(BlockId b) { return nodes_[b.index()]; }
  const Node& node(BlockId b) const { return nodes_[b.index()]; }

  std::vector<Node> nodes_;  // by BlockId, and one more
  std::vector<BlockId> children_;
  std::vector<BlockId> preorder_;
};

// Both give the same tree. Use semi-NCA; the iterative algorithm is a rival for comparison.
enum class DominatorAlgorithm : uint8_t { SemiNca, Iterative };

class Dominators {
 public:
  explicit Dominators(const Cfg& cfg, DominatorAlgorithm algorithm = DominatorAlgorithm::SemiNca);
  static constexpr Keeps kHoldsWith = Keeps::ControlFlow;
  Dominators(const Function&, Analyses& analyses) : Dominators(analyses.get<Cfg>()) {}

  bool is_reachable(BlockId b) const { return tree_.contains(b); }
  // None for the entry and for unreachable blocks.
  BlockId idom(BlockId b) const { return tree_.parent(b); }
  // In constant time. A block dominates itself. No path leads to an unreachable block, so every block
  // dominates it, while it dominates no reachable one.
  bool dominates(BlockId a, BlockId b) const { return !is_reachable(b) || tree_.is_above(a, b); }
  bool strictly_dominates(BlockId a, BlockId b) const { return a != b && dominates(a, b); }
  // Depth in the tree: 0 for the entry (and for unreachable blocks, which are not in the tree).
  uint32_t level(BlockId b) const { return tree_.level(b); }
  // The blocks that b immediately dominates, in preorder of the tree.
  std::span<const BlockId> children(BlockId b) const { return tree_.children(b); }
  // The reachable blocks, parents before their children, each subtree contiguous.
  std::span<const BlockId> preorder() const { return tree_.preorder(); }
  // The position in it, and the number of blocks in the subtree of b from there on (0: unreachable).
  uint32_t pre_number(BlockId b) const { return tree_.pre_number(b); }
  uint32_t subtree_size(BlockId b) const { return tree_.subtree_size(b); }

  bool operator==(const Dominators&) const = default;

 private:
  BlockTree tree_;
};

}  // namespace psi
