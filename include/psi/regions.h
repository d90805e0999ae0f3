// The blocks that can be reached, cut into acyclic regions that are entered at one block each: what
// predicates can tell apart.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "psi/cfg.h"
#include "psi/order.h"

namespace psi {

// A block is in the region of its predecessors if they are all in one, and control comes to it only forward
// in reverse post-order; otherwise it is the entry of a region. So every way into a region leads to its
// entry, and only an edge to the entry leads back.
class Regions {
 public:
  static constexpr uint32_t kNone = UINT32_MAX;

  // May the block be in the region that begins at `entry`?
  using MayJoin = std::function<bool(BlockId block, BlockId entry)>;

  // Linear.
  Regions(const Cfg& cfg, const Order& order);
  // Blocks that may not join a region begin one. Linear, and asks once for each block.
  Regions(const Cfg& cfg, const Order& order, const MayJoin& may_join);

  uint32_t num_regions() const { return static_cast<uint32_t>(starts_.size()) - 1; }
  // In reverse post-order; the first is the entry.
  std::span<const BlockId> blocks(uint32_t region) const {
    return std::span(blocks_).subspan(starts_[region], starts_[region + 1] - starts_[region]);
  }
  BlockId entry(uint32_t region) const { return blocks_[starts_[region]]; }
  // kNone for a block that cannot be reached.
  uint32_t region(BlockId b) const { return region_[b.index()]; }

 private:
  std::vector<uint32_t> region_;  // by BlockId
  std::vector<uint32_t> starts_;  // in blocks_, by region, and one more
  std::vector<BlockId> blocks_;
};

}  // namespace psi
