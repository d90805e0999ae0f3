// The reachable blocks, split into acyclic regions with one entry each: the scope of predicates.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "psi/analysis/cfg.h"
#include "psi/analysis/order.h"

namespace psi {

// A block is in the region of its predecessors if they are all in one region and precede it in reverse
// post-order; otherwise it is the entry of a region. So every edge into a region leads to its entry, and so
// does every back edge.
class Regions {
 public:
  static constexpr uint32_t kNone = UINT32_MAX;

  // May the block join the region with this entry?
  using MayJoin = std::function<bool(BlockId block, BlockId entry)>;

  // Linear.
  Regions(const Cfg& cfg, const Order& order);
  // Blocks that may not join a region begin one. Linear; asks once for each block.
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
