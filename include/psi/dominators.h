// The dominator tree: block a dominates block b if every path from the entry to b goes through a.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "psi/cfg.h"

namespace psi {

class Dominators {
 public:
  explicit Dominators(const Cfg& cfg);

  bool is_reachable(BlockId b) const { return size_[b.index()] != 0; }
  // None for the entry and for unreachable blocks.
  BlockId idom(BlockId b) const { return idom_[b.index()]; }
  // In constant time. A block dominates itself. No path leads to an unreachable block, so every block
  // dominates it, while it dominates no reachable one.
  bool dominates(BlockId a, BlockId b) const {
    if (!is_reachable(b)) return true;
    return pre_[b.index()] - pre_[a.index()] < size_[a.index()];
  }
  bool strictly_dominates(BlockId a, BlockId b) const { return a != b && dominates(a, b); }
  // Depth in the tree: 0 for the entry (and for unreachable blocks, which are not in the tree).
  uint32_t level(BlockId b) const { return level_[b.index()]; }
  // The blocks that b immediately dominates, in preorder of the tree.
  std::span<const BlockId> children(BlockId b) const {
    uint32_t first = child_start_[b.index()];
    return std::span(children_).subspan(first, child_start_[b.index() + 1] - first);
  }
  // The reachable blocks, parents before their children, each subtree in one piece.
  std::span<const BlockId> preorder() const { return preorder_; }
  // The position in it, and how many blocks the subtree of b has from there on (0: unreachable).
  uint32_t pre_number(BlockId b) const { return pre_[b.index()]; }
  uint32_t subtree_size(BlockId b) const { return size_[b.index()]; }

 private:
  // All by BlockId, but for preorder_ and children_.
  std::vector<BlockId> idom_;
  std::vector<uint32_t> pre_;
  std::vector<uint32_t> size_;
  std::vector<uint32_t> level_;
  std::vector<uint32_t> child_start_;
  std::vector<BlockId> children_;
  std::vector<BlockId> preorder_;
};

}  // namespace psi
