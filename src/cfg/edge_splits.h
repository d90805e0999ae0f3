// Blocks on critical edges, for insertions that fit at neither end.
//
//     @a: br %p, @b, @c          @a: br %p, @m, @c
//                          ==>   @m: br @b
//     @b: phi [@a: %x], ...      @b: phi [@m: %x], ...
#pragma once

#include <cstdint>
#include <vector>

#include "psi/ir/function.h"

namespace psi::cfg {

class EdgeSplits {
 public:
  explicit EdgeSplits(Function& function) : function_(function), last_(function.num_blocks(), kNone) {}

  // The block in the middle of the edge, made on first use.
  BlockId split(BlockId from, BlockId to);
  size_t size() const { return splits_.size(); }

 private:
  static constexpr uint32_t kNone = UINT32_MAX;

  struct Split {
    BlockId to, middle;
    uint32_t next;  // of the same block
  };

  Function& function_;
  std::vector<Split> splits_;
  std::vector<uint32_t> last_;  // by BlockId: of the edges from it, the one that was split last
};

}  // namespace psi::cfg
