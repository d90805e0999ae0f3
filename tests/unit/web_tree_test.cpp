// Search trees of webs, against a plain set.
#include "live/web_tree.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "testing/random.h"

namespace psi {
namespace {

using live::WebTree;

// The last number below each node of a random forest, whose nodes are numbered in preorder.
std::vector<uint32_t> random_forest(Random& random, uint32_t size) {
  std::vector<uint32_t> last(size), open;
  for (uint32_t n = 0; n < size; ++n) {
    for (uint32_t close = random.below(3); close > 0 && !open.empty(); --close) {
      last[open.back()] = n - 1;
      open.pop_back();
    }
    open.push_back(n);
  }
  for (uint32_t n : open) last[n] = size - 1;
  return last;
}

TEST(WebTree, FindsWhatASetDoes) {
  uint64_t num_found = 0;
  for (uint64_t seed = 0; seed < 100; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    uint32_t size = 1 + random.below(300);
    std::vector<uint32_t> last = random_forest(random, size);
    WebTree trees(last);
    // Two, and then the members of one go to the other.
    uint32_t roots[2] = {WebTree::kNone, WebTree::kNone};
    std::set<uint32_t> sets[2];
    auto compare = [&](uint32_t which) {
      for (uint32_t n = 0; n < size; ++n) {
        auto next = sets[which].upper_bound(n);
        EXPECT_EQ(trees.next(roots[which], n), next == sets[which].end() ? WebTree::kNone : *next);
        uint32_t above = WebTree::kNone;
        for (uint32_t other : sets[which]) {
          if (other < n && last[other] >= n) above = other;
        }
        EXPECT_EQ(trees.lowest_above(roots[which], n), above);
        num_found += above != WebTree::kNone;
      }
      std::vector<uint32_t> numbers;
      trees.collect(roots[which], numbers);
      std::ranges::sort(numbers);
      EXPECT_TRUE(std::ranges::equal(numbers, sets[which]));
    };
    std::vector<uint32_t> order(size);
    for (uint32_t n = 0; n < size; ++n) order[n] = n;
    for (uint32_t n = size; n > 1; --n) std::swap(order[n - 1], order[random.below(n)]);
    for (uint32_t n : order) {
      uint32_t which = random.below(3);
      if (which == 2) continue;
      trees.insert(roots[which], n);
      sets[which].insert(n);
    }
    compare(0);
    compare(1);
    for (uint32_t n : sets[1]) trees.insert(roots[0], n);
    sets[0].insert(sets[1].begin(), sets[1].end());
    compare(0);
  }
  EXPECT_GT(num_found, 10'000u);
}

}  // namespace
}  // namespace psi
