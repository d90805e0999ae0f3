#include "optimise/dead_code/branch_index.h"

#include <algorithm>

#include "psi/analysis/cfg.h"
#include "psi/analysis/post_dominators.h"

namespace psi::optimise {

BranchIndex::BranchIndex(const Cfg& cfg, const PostDominators& post_dominators)
    : post_dominators_(post_dominators), start_(post_dominators.preorder().size() + 1) {
  auto for_each_edge = [&](auto visit) {
    for (BlockId from : post_dominators.preorder()) {
      if (cfg.successors(from).size() < 2) continue;
      for (BlockId to : cfg.successors(from)) visit(from, post_dominators.pre_number(to));
    }
  };
  for_each_edge([&](BlockId, uint32_t to) { ++start_[to + 1]; });
  for (size_t i = 1; i < start_.size(); ++i) start_[i] += start_[i - 1];
  branches_.resize(start_.back());
  while (size_ < branches_.size()) size_ *= 2;
  least_.assign(size_t{2} * size_, kTaken);
  std::vector<uint32_t> next = start_;
  for_each_edge([&](BlockId from, uint32_t to) {
    uint32_t at = next[to]++;
    BlockId parent = post_dominators.ipdom(from);
    branches_[at] = from;
    least_[size_ + at] = parent ? post_dominators.level(parent) : 0;
  });
  for (uint32_t node = size_; node-- > 1;) least_[node] = std::min(least_[2 * node], least_[2 * node + 1]);
}

// The first edge in a range that belongs to a parent above a level; `last` if there is none.
uint32_t BranchIndex::find(uint32_t first, uint32_t last, uint32_t below) const {
  if (first >= last) return last;
  // Up and to the right until a range has one, then down to the leftmost.
  uint32_t node = size_ + first;
  while (least_[node] >= below) {
    while (node & 1) {
      node >>= 1;
      if (node <= 1) return last;
    }
    ++node;
  }
  while (node < size_) {
    node *= 2;
    if (least_[node] >= below) ++node;
  }
  return std::min(node - size_, last);
}

void BranchIndex::remove(uint32_t at) {
  uint32_t node = size_ + at;
  least_[node] = kTaken;
  while (node >>= 1) least_[node] = std::min(least_[2 * node], least_[2 * node + 1]);
}

}  // namespace psi::optimise
