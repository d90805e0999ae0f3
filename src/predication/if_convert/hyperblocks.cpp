#include "predication/if_convert/hyperblocks.h"

#include <algorithm>

#include "psi/analysis/cfg.h"
#include "psi/analysis/frequencies.h"
#include "psi/analysis/order.h"
#include "psi/analysis/regions.h"

namespace psi::predication {

std::vector<Region> hyperblocks(const Function& function, Analyses& analyses, const Legality& legality,
                                double min_probability, std::span<const uint32_t> is_taken) {
  const Cfg& cfg = analyses.get<Cfg>();
  const Frequencies& frequencies = analyses.get<Frequencies>();
  auto ends_well = [&](BlockId b) { return legality.ends_well(b); };
  Regions acyclic(cfg, analyses.get<Order>(), [&](BlockId b, BlockId entry) {
    if (!is_taken.empty() && (is_taken[b.index()] || is_taken[entry.index()])) return false;
    double probability = frequencies.of(b) / std::max(frequencies.of(entry), 1e-300);
    bool is_frequent = probability >= min_probability || ends_in_unreachable(function, b);
    return is_frequent && !legality.obstacle(b) && std::ranges::all_of(cfg.predecessors(b), ends_well);
  });
  auto is_branch = [&](BlockId b) { return cfg.successors(b).size() > 1; };
  std::vector<Region> regions;
  for (uint32_t r = 0; r < acyclic.num_regions(); ++r) {
    std::span<const BlockId> blocks = acyclic.blocks(r);
    if (blocks.size() > 1 && std::ranges::any_of(blocks, is_branch))
      regions.push_back({{blocks.begin(), blocks.end()}});
  }
  RegionOrder in_order(function, analyses);
  for (Region& region : regions) in_order.sort(region);
  return regions;
}

}  // namespace psi::predication
