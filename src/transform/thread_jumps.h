// Jumps to a block that does nothing but jump on go where it leads.
//
//     @a: br %p, @empty, @b                    @a: br %p, @c, @b
//     @empty: br @c                     ==>    @c: %x = phi [@a: 1], [@b: 2]
//     @c: %x = phi [@empty: 1], [@b: 2]
//
// If asked for, also those to a block that does nothing but branch on what the jump brings:
//
//     @a: br @j                                @a: br @c
//     @j: %p = phi [@a: true], [@b: %q]  ==>   @j: %p = phi [@b: %q]
//         br %p, @c, @d                            br %p, @c, @d
#pragma once

#include <cstdint>
#include <vector>

#include "psi/analyses.h"
#include "psi/function.h"

namespace psi::transform {

enum class ThreadThrough : uint8_t { Empty, EmptyAndDecided };

class JumpThreading {
 public:
  // Looks at the graph as it is now; it may then lose edges.
  JumpThreading(Function& function, Analyses& analyses, ThreadThrough through = ThreadThrough::Empty);

  // Sends the edges of `b` past blocks that are empty, one step each. True if something changed. An empty
  // block that nothing leads to any more stays, for dce_unreachable.
  bool thread(BlockId b);
  uint64_t num_threaded() const { return threaded_; }

 private:
  // Where the block leads to that control comes to from `from`, if it does nothing but lead there.
  BlockId leads_to(BlockId from, BlockId b) const;
  BlockId decided(BlockId from, BlockId b) const;
  bool only_decides(BlockId b, const Uses& uses) const;
  // What an operand that is read behind the block is if control comes to that from `from`.
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
  std::vector<Operand> pairs_;
  uint64_t threaded_ = 0;
};

}  // namespace psi::transform
