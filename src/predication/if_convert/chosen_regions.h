// The disjoint regions chosen for conversion in one iteration.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "predication/if_convert/region_graph.h"

namespace psi::predication {

struct ChosenRegion {
  Region region;
  std::string why;  // for the remark
};

class ChosenRegions {
 public:
  explicit ChosenRegions(size_t num_blocks) : region_of_(num_blocks) {}

  size_t size() const { return size_; }
  bool contains(BlockId b) const { return b.index() < region_of_.size() && region_of_[b.index()] != 0; }
  // By BlockId: not 0 for those that are in one.
  std::span<const uint32_t> blocks() const { return region_of_; }
  // Are all chosen regions that overlap this one inside it?
  bool are_inside(const Region& region) const;
  bool are_outside(const Region& region) const;

  void add(Region region, std::string why);
  // Drops the chosen regions inside this one. `visit` sees each before it is dropped.
  template <class Visit>
  void drop_inside(const Region& region, Visit visit) {
    for (BlockId b : region.blocks) {
      uint32_t number = region_of_[b.index()];
      if (number == 0) continue;
      visit(chosen_[number - 1].region);
      drop(number - 1);
    }
  }
  // In the order in which they were chosen.
  std::vector<ChosenRegion> take();

 private:
  void drop(uint32_t which);

  std::vector<ChosenRegion> chosen_;  // without blocks: dropped
  std::vector<uint32_t> region_of_;   // by BlockId: 1 + its number in chosen_, or 0
  size_t size_ = 0;
};

}  // namespace psi::predication
