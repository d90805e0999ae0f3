// The post-dominator tree: block a post-dominates block b if every path from b out of the function goes
// through a.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "psi/analysis/cfg.h"
#include "psi/analysis/dominators.h"
#include "psi/analysis/order.h"
#include "psi/pass/analyses.h"

namespace psi {

// The tree's root is a virtual exit, which is not a block. An edge leads to it from every block whose
// terminators contain a `ret` or `unreachable`, guarded or not, and from one block of each endless region: a
// strongly connected set of blocks without an exit, from its last block in reverse post-order. So every
// reachable block is in the tree, and no other.
class PostDominators {
 public:
  // Near-linear (semi-NCA on the reversed graph).
  PostDominators(const Function& function, const Cfg& cfg, const Order& order);
  static constexpr Keeps kHoldsWith = Keeps::ControlFlow;
  PostDominators(const Function& function, Analyses& analyses)
      : PostDominators(function, analyses.get<Cfg>(), analyses.get<Order>()) {}

  // Is the block in the tree: can it be reached from the entry?
  bool is_connected(BlockId b) const { return tree_.contains(b); }
  // None below the virtual exit, and for unreachable blocks.
  BlockId ipdom(BlockId b) const {
    BlockId up = tree_.parent(b);
    return up == exit_ ? BlockId() : up;
  }
  // In constant time. A block post-dominates itself. Nothing is said about unreachable blocks: false.
  bool post_dominates(BlockId a, BlockId b) const { return is_connected(b) && tree_.is_above(a, b); }
  bool strictly_post_dominates(BlockId a, BlockId b) const { return a != b && post_dominates(a, b); }
  // Depth in the tree: the virtual exit's is 0, as is that of unreachable blocks.
  uint32_t level(BlockId b) const { return tree_.level(b); }
  // The blocks whose ipdom is b, in preorder of the tree.
  std::span<const BlockId> children(BlockId b) const { return tree_.children(b); }
  // The blocks directly below the virtual exit.
  std::span<const BlockId> roots() const { return tree_.children(exit_); }
  // The reachable blocks, parents before their children, each subtree contiguous.
  std::span<const BlockId> preorder() const {
    return tree_.preorder().subspan(tree_.preorder().empty() ? 0 : 1);
  }
  // The position in it of a reachable block, and how many blocks its subtree has from there on
  // (0: unreachable).
  uint32_t pre_number(BlockId b) const { return tree_.pre_number(b) - 1; }
  uint32_t subtree_size(BlockId b) const { return tree_.subtree_size(b); }
  // The blocks with an edge to the virtual exit, in reverse post-order.
  std::span<const BlockId> exits() const { return exits_; }

  bool operator==(const PostDominators&) const = default;

 private:
  BlockId exit_;  // one above the last block
  std::vector<BlockId> exits_;
  BlockTree tree_;
};

}  // namespace psi
