// Branches whose way is known.
#pragma once

#include <span>
#include <vector>

#include "psi/function.h"

namespace psi::transform {

// Takes out what the block's terminators cannot do: branches and switches on a literal, terminators behind
// one that always leaves the block, branches with the same target on all sides. Phis lose the entries of
// edges that are gone; a block that nothing leads to any more stays, for dce_unreachable. True if
// something changed. `scratch` is kept between calls.
class TerminatorFolding {
 public:
  explicit TerminatorFolding(Function& function) : function_(function) {}

  bool fold(BlockId b);
  // Drops the phi entries of edges from `b` to those of `old_targets` that it no longer leads to.
  void drop_edges(BlockId b, std::span<const BlockId> old_targets);

 private:
  bool fold_one(InstId id);
  void jump(InstId id, BlockId target);

  Function& function_;
  std::vector<BlockId> targets_;
  std::vector<BlockId> now_;
  std::vector<InstId> kept_;
  std::vector<Operand> pairs_;
};

}  // namespace psi::transform
