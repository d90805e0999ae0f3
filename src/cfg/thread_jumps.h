// Threads jumps through empty blocks.
//
//     @a: br %p, @empty, @b                    @a: br %p, @c, @b
//     @empty: br @c                     ==>    @c: %x = phi [@a: 1], [@b: 2]
//     @c: %x = phi [@empty: 1], [@b: 2]
//
// On request, also through a block that only branches on a value that the jump determines:
//
//     @a: br @j                                @a: br @c
//     @j: %p = phi [@a: true], [@b: %q]  ==>   @j: %p = phi [@b: %q]
//         br %p, @c, @d                            br %p, @c, @d
#pragma once

#include <cstdint>
#include <vector>

#include "psi/analysis/order.h"
#include "psi/analysis/uses.h"
#include "psi/ir/function.h"
#include "psi/pass/analyses.h"

namespace psi::cfg {

enum class ThreadThrough : uint8_t { Empty, EmptyAndDecided };

class JumpThreading {
 public:
  // Looks at the graph as it is now; it may then lose edges.
  JumpThreading(Function& function, Analyses& analyses, ThreadThrough through = ThreadThrough::Empty);

  // Threads the edges of `b` through empty blocks, one step each. True if something changed. Empty blocks
  // that become unreachable stay, for dce_unreachable.
  bool thread(BlockId b);
  uint64_t num_threaded() const { return threaded_; }

 private:
  // The target of the block when control comes from `from`, if the block does nothing else.
  BlockId leads_to(BlockId from, BlockId b) const;
  BlockId decided(BlockId from, BlockId b) const;
  bool only_decides(BlockId b, const Uses& uses) const;
  // The value of an operand read after the block when control comes from `from`.
  Operand brought(BlockId from, BlockId through, Operand operand) const;
  void drop_entries(BlockId from, BlockId to);
  bool may_skip(BlockId from, BlockId empty, BlockId to) const;
  void add_entries(BlockId from, BlockId empty, BlockId to);
  void move_count(BlockId from, BlockId empty);

  Function& function_;
  const Order& order_;
  std::vector<uint8_t> is_header_;          // by BlockId: an edge leads back to it
  std::vector<uint8_t> only_decides_;       // by BlockId: it is looked at for what it decides
  std::vector<uint32_t> num_predecessors_;  // by BlockId
  std::vector<BlockId> targets_;
  std::vector<Operand> entries_;
  uint64_t threaded_ = 0;
};

}  // namespace psi::cfg
