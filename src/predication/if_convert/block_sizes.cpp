#include "predication/if_convert/block_sizes.h"

#include <algorithm>
#include <numeric>

#include "psi/analysis/cfg.h"

namespace psi::predication {

BlockSizes::BlockSizes(const Function& function, const Cfg& cfg)
    : cfg_(cfg), parent_(function.num_blocks()), size_(function.num_blocks()), mark_(function.num_blocks()) {
  std::iota(parent_.begin(), parent_.end(), 0);
  for (BlockId b : function.layout()) size_[b.index()] = function.insts(b).size();
}

uint32_t BlockSizes::root(uint32_t b) {
  while (parent_[b] != b) {
    parent_[b] = parent_[parent_[b]];
    b = parent_[b];
  }
  return b;
}

// The blocks of the region, and its exit target if that has no other predecessor.
template <class Visit>
void BlockSizes::for_each(const Region& region, Visit visit) {
  ++stamp_;
  for (BlockId b : region.blocks) mark_[b.index()] = stamp_;
  BlockId next;
  bool is_one = true;
  for (BlockId b : region.blocks) {
    visit(root(b.index()));
    for (BlockId to : cfg_.successors(b)) {
      if (is_marked(to)) continue;
      is_one = is_one && (!next || next == to);
      next = to;
    }
  }
  auto is_inside = [&](BlockId b) { return is_marked(b); };
  if (next && is_one && std::ranges::all_of(cfg_.predecessors(next), is_inside)) visit(root(next.index()));
}

uint64_t BlockSizes::of(const Region& region) {
  uint64_t total = 0;
  counted_.clear();
  for_each(region, [&](uint32_t r) { counted_.push_back(r); });
  std::ranges::sort(counted_);
  counted_.erase(std::ranges::unique(counted_).begin(), counted_.end());
  for (uint32_t r : counted_) total += size_[r];
  return total;
}

void BlockSizes::convert(const Region& region) {
  uint32_t first = root(region.entry().index());
  for_each(region, [&](uint32_t r) {
    if (r == first) return;
    parent_[r] = first;
    size_[first] += size_[r];
  });
}

}  // namespace psi::predication
