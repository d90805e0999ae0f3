// Regions that are left for one place: what stands between a branch and where its sides meet again.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "if_convert/legality.h"
#include "if_convert/region_graph.h"

namespace psi::if_conversion {

// The region of a branch are the blocks that it dominates, without those that its immediate post-dominator
// does: structured or not, as long as control enters at the branch, meets no loop, and leaves for the
// post-dominator, or always returns. A side that ends in `unreachable` does not count.
class Hammocks {
 public:
  // Linear. All blocks are reachable.
  Hammocks(const Function& function, Analyses& analyses, const Legality& legality);

  // Why the branch at the end of the block must stay; empty if its region can be converted.
  std::string obstacle(BlockId branch) const;
  bool can_be_converted(BlockId branch) const { return kind(branch) == Kind::Fine; }
  // Of all blocks in its region.
  uint32_t num_insts(BlockId branch) const { return sum(insts_, branch); }
  // Linear in its size, but for sorting.
  Region region(BlockId branch) const;

 private:
  enum class Kind : uint8_t { Fine, BadEnd, Loop, Left, Unsafe };

  // Of the blocks that a block dominates and that control may leave them for: the two whose dominators lie
  // farthest up the tree. Another is left for only if one of these is.
  struct Ways {
    BlockId out[2];
  };

  Kind kind(BlockId branch) const;
  void find_ways();
  void add(Ways& ways, BlockId target) const;
  // How far up the tree the block's dominator is; -1: there is none.
  int64_t height(BlockId b) const;
  BlockId join(BlockId branch) const;
  BlockId exit_within(BlockId branch) const;
  template <class Visit>
  void for_each_range(BlockId branch, Visit visit) const;
  uint32_t sum(const std::vector<uint32_t>& counts, BlockId branch) const;
  uint32_t own_count(const std::vector<uint32_t>& counts, BlockId b) const;

  const Function& function_;
  const Legality& legality_;
  const Cfg& cfg_;
  RegionOrder order_;
  const Dominators& dominators_;
  const PostDominators& post_dominators_;
  const Loops& loops_;
  std::vector<Ways> ways_;         // by BlockId
  std::vector<uint32_t> unsafe_;   // blocks with an obstacle, among the first n in preorder
  std::vector<uint32_t> in_loop_;  // entries of loops, likewise
  std::vector<uint32_t> insts_;    // instructions, likewise
};

}  // namespace psi::if_conversion
