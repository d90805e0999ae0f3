// Branches whose way is known.
#pragma once

#include <span>
#include <vector>

#include "psi/function.h"

namespace psi::transform {

// Takes out what the block's terminators cannot do: branches and switches on a literal, terminators behind
// one that always leaves the block, branches with the same target on all sides. A block that nothing leads to
// any more stays, for dce_unreachable. Phis lose the entries of edges that are gone at the end, each phi
// once: many edges to one block may go.
class TerminatorFolding {
 public:
  explicit TerminatorFolding(Function& function) : function_(function) {}

  // True if something changed.
  bool fold(BlockId b);
  // Notes the edges from `b` to those of `old_targets` that it no longer leads to.
  void drop_edges(BlockId b, std::span<const BlockId> old_targets);
  // Drops the phi entries of all edges that are gone. To be called before anything asks for the phis, and
  // before blocks are removed.
  void finish();

 private:
  struct Gone {
    BlockId from, to;
  };

  bool fold_one(InstId id);
  void jump(InstId id, BlockId target);
  void drop_entries(std::span<const Gone> gone);

  Function& function_;
  std::vector<BlockId> targets_;
  std::vector<BlockId> now_;
  std::vector<Gone> gone_;
  std::vector<InstId> kept_;
  std::vector<Operand> pairs_;
};

}  // namespace psi::transform
