// Search trees of numbers that represent nodes of a forest, in preorder: each number has the last one below
// it. All trees share one pool, and every number is in one of them at most.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

namespace psi::live {

// Treaps, with priorities that depend on the number alone. All operations are logarithmic but `collect`.
class WebTree {
 public:
  static constexpr uint32_t kNone = UINT32_MAX;

  WebTree() = default;
  // last[n] is the last number below n in the forest, n itself if there is none.
  explicit WebTree(std::span<const uint32_t> last) {
    nodes_.reserve(last.size());
    for (uint32_t n : last) nodes_.push_back({.last = n});
  }

  uint32_t last_below(uint32_t n) const { return nodes_[n].last; }
  // The first number of a tree after n.
  uint32_t next(uint32_t root, uint32_t n) const;
  // The last one before n that n is below.
  uint32_t lowest_above(uint32_t root, uint32_t n) const;
  void insert(uint32_t& root, uint32_t n);
  // All numbers of a tree, in no order.
  void collect(uint32_t root, std::vector<uint32_t>& numbers) const;
  size_t memory() const { return nodes_.capacity() * sizeof(Node); }

 private:
  struct Node {
    uint32_t left = kNone;
    uint32_t right = kNone;
    uint32_t last;       // below it in the forest
    uint32_t reach = 0;  // the greatest of these in its subtree
  };

  bool reaches(uint32_t root, uint32_t n) const { return root != kNone && nodes_[root].reach >= n; }
  void update(uint32_t n);

  std::vector<Node> nodes_;
  std::vector<uint32_t> split_;  // scratch
};

}  // namespace psi::live
