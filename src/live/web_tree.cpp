#include "live/web_tree.h"

namespace psi::live {
namespace {

// Consecutive numbers get unrelated priorities.
uint32_t priority(uint32_t n) {
  n = (n ^ n >> 16) * 0x85ebca6bu;
  n = (n ^ n >> 13) * 0xc2b2ae35u;
  return n ^ n >> 16;
}

}  // namespace

uint32_t WebTree::next(uint32_t root, uint32_t n) const {
  uint32_t found = kNone;
  for (uint32_t at = root; at != kNone;) {
    if (at > n) found = at;
    at = at > n ? nodes_[at].left : nodes_[at].right;
  }
  return found;
}

uint32_t WebTree::lowest_above(uint32_t root, uint32_t n) const {
  // The last on the way to n that is before it and is above it, or has one on its left that is.
  uint32_t found = kNone;
  for (uint32_t at = root; at != kNone;) {
    if (at < n && (nodes_[at].last >= n || reaches(nodes_[at].left, n))) found = at;
    at = at < n ? nodes_[at].right : nodes_[at].left;
  }
  if (found == kNone || nodes_[found].last >= n) return found;
  for (found = nodes_[found].left;;) {
    if (reaches(nodes_[found].right, n)) {
      found = nodes_[found].right;
    } else if (nodes_[found].last >= n) {
      return found;
    } else {
      found = nodes_[found].left;
    }
  }
}

void WebTree::insert(uint32_t& root, uint32_t n) {
  uint32_t* segment = &root;
  while (*segment != kNone && priority(*segment) >= priority(n)) {
    Node& node = nodes_[*segment];
    node.reach = std::max(node.reach, nodes_[n].last);
    segment = n < *segment ? &node.left : &node.right;
  }
  // What was there goes to both sides.
  split_.clear();
  uint32_t *left = &nodes_[n].left, *right = &nodes_[n].right;
  for (uint32_t at = *segment; at != kNone;) {
    split_.push_back(at);
    uint32_t*& side = at < n ? left : right;
    *side = at;
    side = at < n ? &nodes_[at].right : &nodes_[at].left;
    at = *side;
  }
  *left = *right = kNone;
  *segment = n;
  while (!split_.empty()) {
    update(split_.back());
    split_.pop_back();
  }
  update(n);
}

void WebTree::update(uint32_t n) {
  Node& node = nodes_[n];
  node.reach = nodes_[n].last;
  if (node.left != kNone) node.reach = std::max(node.reach, nodes_[node.left].reach);
  if (node.right != kNone) node.reach = std::max(node.reach, nodes_[node.right].reach);
}

void WebTree::collect(uint32_t root, std::vector<uint32_t>& numbers) const {
  numbers.clear();
  if (root != kNone) numbers.push_back(root);
  for (size_t i = 0; i < numbers.size(); ++i) {
    for (uint32_t child : {nodes_[numbers[i]].left, nodes_[numbers[i]].right}) {
      if (child != kNone) numbers.push_back(child);
    }
  }
}

}  // namespace psi::live
