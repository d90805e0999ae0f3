// The runner method of Cooper, Harvey and Kennedy ("A Simple, Fast Dominance Algorithm", 2001): walk from
// each predecessor of a block up the dominator tree to the block's immediate dominator; the blocks on the
// path have it in their frontiers. A walk ends where an earlier one for the same block passed.
//
// O(m + size of the frontiers), walked twice: to count, and to fill.

#include "psi/analysis/frontiers.h"

#include "psi/analysis/cfg.h"
#include "psi/analysis/dominators.h"

namespace psi {
namespace {

// Calls found(x, y) once for every y in the frontier of x, by y in preorder of the tree.
template <class Found>
void for_each_pair(const Cfg& cfg, const Dominators& dominators, Found found) {
  std::vector<BlockId> passed(cfg.num_blocks());  // the last y whose walks came by
  for (BlockId y : dominators.preorder()) {
    BlockId stop = dominators.idom(y);
    for (BlockId x : cfg.predecessors(y)) {
      if (!dominators.is_reachable(x)) continue;
      // An edge back to the entry goes up to the root.
      for (; x != stop && x && passed[x.index()] != y; x = dominators.idom(x)) {
        passed[x.index()] = y;
        found(x, y);
      }
    }
  }
}

}  // namespace

DominanceFrontiers::DominanceFrontiers(const Cfg& cfg, const Dominators& dominators)
    : start_(cfg.num_blocks() + 1) {
  for_each_pair(cfg, dominators, [&](BlockId x, BlockId) { ++start_[x.index() + 1]; });
  for (uint32_t i = 0; i < cfg.num_blocks(); ++i) start_[i + 1] += start_[i];
  blocks_.resize(start_.back());
  std::vector<uint64_t> next(start_.begin(), start_.end() - 1);
  for_each_pair(cfg, dominators, [&](BlockId x, BlockId y) { blocks_[next[x.index()]++] = y; });
}

}  // namespace psi
