// Jumps to a block that does nothing but jump on go where it leads.
//
//     @a: br %p, @empty, @b                    @a: br %p, @c, @b
//     @empty: br @c                     ==>    @c: %x = phi [@a: 1], [@b: 2]
//     @c: %x = phi [@empty: 1], [@b: 2]
#pragma once

#include <cstdint>
#include <vector>

#include "psi/analyses.h"
#include "psi/function.h"

namespace psi::transform {

class JumpThreading {
 public:
  // Looks at the graph as it is now; it may then lose edges.
  JumpThreading(Function& function, Analyses& analyses);

  // Sends the edges of `b` past blocks that are empty, one step each. True if something changed. An empty
  // block that nothing leads to any more stays, for dce_unreachable.
  bool thread(BlockId b);
  uint64_t num_threaded() const { return threaded_; }

 private:
  // Where the block jumps to, if that is all it does.
  BlockId jumps_to(BlockId b) const;
  bool may_skip(BlockId from, BlockId empty, BlockId to) const;
  void add_entries(BlockId from, BlockId empty, BlockId to);
  void move_count(BlockId from, BlockId empty);

  Function& function_;
  const Order& order_;
  std::vector<uint8_t> is_header_;          // by BlockId: an edge leads back to it
  std::vector<uint32_t> num_predecessors_;  // by BlockId
  std::vector<BlockId> targets_;
  std::vector<Operand> pairs_;
  uint64_t threaded_ = 0;
};

}  // namespace psi::transform
