// Sinks instructions that only one block needs.
#pragma once

#include <vector>

#include "psi/analysis/uses.h"
#include "psi/ir/function.h"

namespace psi::predication {

// Could it be executed later, or not at all where it is unread?
bool can_sink(const Inst& inst);

// Moves instructions from blocks into those that they lead to. Uses must be those of the function before the
// first move, and stay right as long as nothing else changes.
class Sinking {
 public:
  Sinking(Function& function, const Uses& uses)
      : function_(function), uses_(uses), moved_to_(function.num_insts()) {}

  // Moves those of the values, and of what they are computed from, that stand in `from` and that only `to`,
  // and phis for edges from it, read. Linear in the two blocks and in what is looked at.
  void sink(std::vector<Operand> values, BlockId from, BlockId to);
  uint64_t num_moved() const { return num_moved_; }

 private:
  BlockId block(InstId id) const { return moved_to_[id.index()] ? moved_to_[id.index()] : uses_.block(id); }
  bool is_read_only_in(BlockId b, InstId id) const;

  Function& function_;
  const Uses& uses_;
  std::vector<BlockId> moved_to_;  // by InstId; none: it stays
  uint64_t num_moved_ = 0;
};

}  // namespace psi::predication
