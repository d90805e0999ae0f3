// The sizes that blocks will have: a converted region merges with the block that follows it, and so on.
#pragma once

#include <cstdint>
#include <vector>

#include "predication/if_convert/region_graph.h"
#include "psi/analysis/cfg.h"

namespace psi::predication {

class BlockSizes {
 public:
  BlockSizes(const Function& function, const Cfg& cfg);

  // The instructions of the block that the region would become, without those for its predicates. Linear in
  // the size of the region.
  uint64_t of(const Region& region);
  // The region is converted.
  void convert(const Region& region);

 private:
  uint32_t root(uint32_t b);
  // Calls visit(root) for each block that becomes one with the others; some more than once.
  template <class Visit>
  void for_each(const Region& region, Visit visit);
  bool is_marked(BlockId b) const { return mark_[b.index()] == stamp_; }

  const Cfg& cfg_;
  std::vector<uint32_t> parent_;  // by BlockId: of the blocks that become one
  std::vector<uint64_t> size_;    // by root
  std::vector<uint32_t> mark_;    // by BlockId: the query that visited it last
  uint32_t stamp_ = 0;
  std::vector<uint32_t> counted_;
};

}  // namespace psi::predication
