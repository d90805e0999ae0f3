// The branches that decide whether a block is executed, each reported once.
//
// Block b depends on the edge a -> s if it is on the path from s up the post-dominator tree to the parent of
// a, exclusive. So among the edges with targets in the subtree of b, those whose branch has its parent above
// b belong to it. The edges are stored in preorder of their targets, with the least level of such a parent
// for every range (a segment tree); reported edges are removed. A table of control dependences could be
// quadratic (control_dependence.h).
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "psi/analysis/cfg.h"
#include "psi/analysis/post_dominators.h"

namespace psi::optimise {

class BranchIndex {
 public:
  // Linear.
  BranchIndex(const Cfg& cfg, const PostDominators& post_dominators);

  // Calls visit(BlockId) for the blocks that decide whether `b` is executed, except those reported before.
  // Logarithmic for each one.
  template <class Visit>
  void take(BlockId b, Visit visit) {
    uint32_t first = post_dominators_.pre_number(b), last = first + post_dominators_.subtree_size(b);
    uint32_t level = post_dominators_.level(b);
    for (uint32_t at = start_[first]; (at = find(at, start_[last], level)) < start_[last]; ++at) {
      remove(at);
      visit(branches_[at]);
    }
  }

 private:
  static constexpr uint32_t kTaken = UINT32_MAX;

  uint32_t find(uint32_t first, uint32_t last, uint32_t below) const;
  void remove(uint32_t at);

  const PostDominators& post_dominators_;
  std::vector<uint32_t> start_;    // by preorder number of the target, and one more: in branches_
  std::vector<BlockId> branches_;  // where each edge comes from
  std::vector<uint32_t> least_;    // the tree: the root is 1, the leaves start at size_
  uint32_t size_ = 1;
};

}  // namespace psi::optimise
