#include "if_convert/hyperblocks.h"

#include <algorithm>

namespace psi::if_conversion {

std::vector<Region> hyperblocks(const Function& function, Analyses& analyses, const Legality& legality,
                                double min_share) {
  const Cfg& cfg = analyses.cfg();
  const Order& order = analyses.order();
  const Frequencies& frequencies = analyses.frequencies();
  std::vector<Region> regions;
  std::vector<uint32_t> region(function.num_blocks(), RegionGraph::kNone);
  // The region that all predecessors are in, if there is one.
  auto common = [&](BlockId b) {
    uint32_t found = RegionGraph::kNone;
    for (BlockId p : cfg.predecessors(b)) {
      uint32_t r = region[p.index()];
      bool is_forward = order.number(p) < order.number(b);
      if (!is_forward || !legality.ends_well(p) || (found != RegionGraph::kNone && r != found))
        return RegionGraph::kNone;
      found = r;
    }
    return found;
  };
  for (BlockId b : order.reverse_post_order()) {
    uint32_t r = b == function.entry() ? RegionGraph::kNone : common(b);
    if (r != RegionGraph::kNone) {
      double share = frequencies.of(b) / std::max(frequencies.of(regions[r].entry()), 1e-300);
      if (share < min_share || legality.obstacle(b)) r = RegionGraph::kNone;
    }
    if (r == RegionGraph::kNone) {
      r = static_cast<uint32_t>(regions.size());
      regions.emplace_back();
    }
    region[b.index()] = r;
    regions[r].blocks.push_back(b);
  }
  std::erase_if(regions, [&](const Region& region) {
    auto is_branch = [&](BlockId b) { return cfg.successors(b).size() > 1; };
    return region.blocks.size() == 1 || std::ranges::none_of(region.blocks, is_branch);
  });
  RegionOrder in_order(function, analyses);
  for (Region& region : regions) in_order.sort(region);
  return regions;
}

}  // namespace psi::if_conversion
