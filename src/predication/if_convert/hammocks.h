// Regions with one exit: the blocks between a branch and the join of its sides.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "predication/if_convert/legality.h"
#include "predication/if_convert/region_graph.h"
#include "psi/analysis/cfg.h"
#include "psi/analysis/dominators.h"
#include "psi/analysis/loops.h"
#include "psi/analysis/post_dominators.h"

namespace psi::predication {

// The region of a branch consists of the blocks that it dominates, without those that its immediate
// post-dominator dominates: structured or not, if it is acyclic and its only entry is the branch and its only
// exit the post-dominator, or returns. A side that ends in `unreachable` does not count.
class Hammocks {
 public:
  // Linear. All blocks are reachable.
  Hammocks(const Function& function, Analyses& analyses, const Legality& legality);

  // The reason why the branch at the end of the block must stay; empty if its region can be converted.
  std::string obstacle(BlockId branch) const;
  bool can_be_converted(BlockId branch) const { return kind(branch) == Kind::Fine; }
  // The instructions of all blocks in its region.
  uint32_t num_insts(BlockId branch) const { return sum(insts_, branch); }
  // Linear in its size, except for sorting.
  Region region(BlockId branch) const;

 private:
  enum class Kind : uint8_t { Fine, BadEnd, Loop, Left, Unsafe };

  // The exits of the subtree of a block: the two whose dominators are farthest up the tree. The subtree has
  // no other exit without one of these.
  struct Exits {
    BlockId out[2];
  };

  Kind kind(BlockId branch) const;
  void find_exits();
  void add(Exits& exits, BlockId target) const;
  // The level of the block's dominator; -1: none.
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
  std::vector<Exits> exits_;       // by BlockId
  std::vector<uint32_t> unsafe_;   // blocks with an obstacle, among the first n in preorder
  std::vector<uint32_t> in_loop_;  // entries of loops, likewise
  std::vector<uint32_t> insts_;    // instructions, likewise
};

}  // namespace psi::predication
