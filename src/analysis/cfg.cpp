#include "psi/cfg.h"

namespace psi {

Cfg::Cfg(const Function& function)
    : successor_start_(function.num_blocks() + 1), predecessor_start_(function.num_blocks() + 1) {
  if (function.layout().empty()) return;
  entry_ = function.entry();

  // Read the terminators once: on large functions their memory is what costs. Counts go into the slot after
  // each block's own, so that summing up gives the starts.
  std::vector<BlockId> targets;  // in layout order
  for (BlockId b : function.layout()) {
    size_t first = targets.size();
    function.for_each_successor(b, [&](BlockId to) {
      targets.push_back(to);
      ++predecessor_start_[to.index() + 1];
    });
    successor_start_[b.index() + 1] = static_cast<uint32_t>(targets.size() - first);
  }
  for (uint32_t i = 0; i < function.num_blocks(); ++i) {
    successor_start_[i + 1] += successor_start_[i];
    predecessor_start_[i + 1] += predecessor_start_[i];
  }

  successors_.resize(targets.size());
  predecessors_.resize(targets.size());
  predecessor_edge_.resize(targets.size());
  std::vector<uint32_t> next(predecessor_start_.begin(), predecessor_start_.end() - 1);
  const BlockId* target = targets.data();
  for (BlockId b : function.layout()) {
    uint32_t first = successor_start_[b.index()];
    uint32_t count = successor_start_[b.index() + 1] - first;
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
