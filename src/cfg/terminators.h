// Branches with a known target.
#pragma once

#include <span>
#include <vector>

#include "psi/ir/function.h"

namespace psi::cfg {

// Folds the block's terminators: branches and switches on literals, terminators after one that always leaves
// the block, branches with equal targets. Blocks that become unreachable stay, for dce_unreachable. Phis lose
// the entries of removed edges at the end, each phi once, since many edges to one block may be removed.
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
  struct DroppedEdge {
    BlockId from, to;
  };

  bool fold_one(InstId id);
  void jump(InstId id, BlockId target);
  void drop_entries(std::span<const DroppedEdge> dropped);

  Function& function_;
  std::vector<BlockId> targets_;
  std::vector<BlockId> now_;
  std::vector<DroppedEdge> dropped_;
  std::vector<InstId> kept_;
};

}  // namespace psi::cfg
