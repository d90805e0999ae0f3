#include "psi/analysis/regions.h"

#include "psi/analysis/cfg.h"
#include "psi/analysis/order.h"

namespace psi {
namespace {

// The region of all predecessors of a block; kNone if there is none, or there are several, or an edge leads
// back. Unreachable predecessors do not count.
uint32_t region_before(const Cfg& cfg, const Order& order, std::span<const uint32_t> region, BlockId b) {
  uint32_t common = Regions::kNone;
  for (BlockId p : cfg.predecessors(b)) {
    if (!order.is_reachable(p)) continue;
    uint32_t own = region[p.index()];  // kNone if not visited yet
    if (own == Regions::kNone || (common != Regions::kNone && own != common)) return Regions::kNone;
    common = own;
  }
  return common;
}

}  // namespace

Regions::Regions(const Cfg& cfg, const Order& order)
    : Regions(cfg, order, [](BlockId, BlockId) { return true; }) {}

Regions::Regions(const Cfg& cfg, const Order& order, const MayJoin& may_join)
    : region_(cfg.num_blocks(), kNone), starts_(1) {
  std::vector<BlockId> entries;
  for (BlockId b : order.reverse_post_order()) {
    uint32_t region = region_before(cfg, order, region_, b);
    if (region == kNone || !may_join(b, entries[region])) {
      region = num_regions();
      starts_.push_back(0);
      entries.push_back(b);
    }
    region_[b.index()] = region;
    ++starts_[region + 1];
  }
  for (size_t i = 1; i < starts_.size(); ++i) starts_[i] += starts_[i - 1];
  blocks_.resize(order.num_reachable());
  std::vector<uint32_t> next(starts_.begin(), starts_.end() - 1);
  for (BlockId b : order.reverse_post_order()) blocks_[next[region_[b.index()]]++] = b;
}

}  // namespace psi
