#include "predication/if_convert/chosen_regions.h"

#include <algorithm>
#include <utility>

namespace psi::predication {

bool ChosenRegions::are_inside(const Region& region) const {
  size_t blocks = 0, shared = 0;
  for (BlockId b : region.blocks) {
    if (!contains(b)) continue;
    ++shared;
    const Region& other = chosen_[region_of_[b.index()] - 1].region;
    if (other.entry() == b) blocks += other.blocks.size();
  }
  return blocks == shared;
}

bool ChosenRegions::are_outside(const Region& region) const {
  return std::ranges::none_of(region.blocks, [&](BlockId b) { return contains(b); });
}

void ChosenRegions::add(Region region, std::string why) {
  ++size_;
  chosen_.push_back({std::move(region), std::move(why)});
  for (BlockId b : chosen_.back().region.blocks)
    region_of_[b.index()] = static_cast<uint32_t>(chosen_.size());
}

void ChosenRegions::drop(uint32_t which) {
  for (BlockId b : chosen_[which].region.blocks) region_of_[b.index()] = 0;
  chosen_[which].region.blocks.clear();
  --size_;
}

std::vector<ChosenRegion> ChosenRegions::take() {
  std::erase_if(chosen_, [](const ChosenRegion& chosen) { return chosen.region.blocks.empty(); });
  return std::move(chosen_);
}

}  // namespace psi::predication
