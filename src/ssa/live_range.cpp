#include "ssa/live_range.h"

namespace psi::ssa {

bool LiveRange::find(Reg variable) {
  constexpr size_t kAtLeast = 8, kPerBlock = 2;
  std::span<const BlockId> definitions = variables_.definitions(variable);
  std::span<const BlockId> exposures = variables_.exposures(variable);
  size_t budget = kAtLeast + kPerBlock * (definitions.size() + exposures.size());
  live_.clear();
  defined_.clear();
  work_.clear();
  has_join_ = false;
  for (BlockId b : definitions) defined_.insert(b);
  for (BlockId b : exposures) add(b);
  while (!work_.empty()) {
    std::span<const BlockId> predecessors = cfg_.predecessors(work_.back());
    work_.pop_back();
    if (predecessors.size() > budget) return false;
    budget -= predecessors.size();
    has_join_ |= predecessors.size() > 1;
    for (BlockId from : predecessors) {
      if (dominators_.is_reachable(from) && !defined_.contains(from)) add(from);
    }
  }
  return true;
}

}  // namespace psi::ssa
