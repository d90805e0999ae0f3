#include "psi/analysis/cfg.h"

#include "support/scratch.h"

namespace psi {

Cfg::Cfg(const Function& function) : starts_(function.num_blocks() + 1) {
  if (function.layout().empty()) return;
  entry_ = function.entry();

  // Reads the terminators once, since memory access dominates on large functions. Counts go into the slot
  // after each block's own, so that prefix sums give the starts.
  Scratch scratch;
  std::pmr::vector<BlockId> targets(&scratch);  // in layout order
  targets.reserve(2 * function.layout().size());
  for (BlockId b : function.layout()) {
    size_t first = targets.size();
    function.for_each_successor(b, [&](BlockId to) {
      targets.push_back(to);
      ++starts_[to.index() + 1].predecessors;
    });
    starts_[b.index() + 1].successors = static_cast<uint32_t>(targets.size() - first);
  }
  std::pmr::vector<uint32_t> next(function.num_blocks(), &scratch);
  for (uint32_t i = 0; i < function.num_blocks(); ++i) {
    next[i] = starts_[i].predecessors;
    starts_[i + 1].successors += starts_[i].successors;
    starts_[i + 1].predecessors += starts_[i].predecessors;
  }

  successors_.resize(targets.size());
  predecessors_.resize(targets.size());
  predecessor_edge_.resize(targets.size());
  const BlockId* target = targets.data();
  for (BlockId b : function.layout()) {
    uint32_t first = starts_[b.index()].successors;
    uint32_t count = starts_[b.index() + 1].successors - first;
    for (uint32_t index = 0; index < count; ++index) {
      BlockId to = *target++;
      successors_[first + index] = to;
      uint32_t at = next[to.index()]++;
      predecessors_[at] = b;
      predecessor_edge_[at] = index;
    }
  }
}

}  // namespace psi
