// Semi-NCA: Georgiadis, "Linear-Time Algorithms for Dominators and Related Problems" (2005), section 2.3.
// Semidominators are found as in Lengauer and Tarjan's simple algorithm; the immediate dominator is then the
// nearest ancestor, in the tree built so far, that is not below the semidominator. Path compression has its
// own stack, and the tree is numbered by two sweeps over the search order, so nothing here recurses.
//
// O(m log n) for the semidominators. The walks up the tree can in theory make it quadratic; on control flow
// graphs they are short.

#include "psi/dominators.h"

namespace psi {
namespace {

constexpr uint32_t kUnseen = UINT32_MAX;

// Everything here is indexed by depth-first number, which keeps the walks within few cache lines.
class SemiNca {
 public:
  explicit SemiNca(const Cfg& cfg) : cfg_(cfg), number_(cfg.num_blocks(), kUnseen) {}

  void run() {
    search();
    find_semidominators();
    find_idoms();
  }

  uint32_t size() const { return static_cast<uint32_t>(blocks_.size()); }
  BlockId block(uint32_t number) const { return blocks_[number]; }
  // The number of the immediate dominator; smaller than `number`. The entry's is itself.
  uint32_t idom(uint32_t number) const { return idom_[number]; }

 private:
  // Numbers the reachable blocks in preorder of a depth-first search.
  void search() {
    struct Visit {
      uint32_t number;
      uint32_t next;
    };
    std::vector<Visit> stack;
    auto enter = [&](BlockId b, uint32_t parent) {
      uint32_t number = size();
      number_[b.index()] = number;
      blocks_.push_back(b);
      idom_.push_back(parent);
      stack.push_back({number, 0});
    };
    enter(cfg_.entry(), 0);
    while (!stack.empty()) {
      Visit& top = stack.back();
      std::span<const BlockId> successors = cfg_.successors(blocks_[top.number]);
      if (top.next == successors.size()) {
        stack.pop_back();
        continue;
      }
      BlockId to = successors[top.next++];
      if (number_[to.index()] == kUnseen) enter(to, top.number);
    }
  }

  void find_semidominators() {
    ancestor_ = idom_;
    semi_.resize(size());
    label_.resize(size());
    for (uint32_t i = 0; i < size(); ++i) semi_[i] = label_[i] = i;
    for (uint32_t w = size(); w-- > 1;) {
      uint32_t semi = ancestor_[w];
      for (BlockId p : cfg_.predecessors(blocks_[w])) {
        uint32_t v = number_[p.index()];
        if (v == kUnseen) continue;
        uint32_t candidate = semi_[evaluate(v, w + 1)];
        if (candidate < semi) semi = candidate;
      }
      semi_[w] = semi;
    }
  }

  // The node of least semidominator on the way from v up to, but without, the root of its tree in the
  // forest of the nodes numbered `linked` and above.
  uint32_t evaluate(uint32_t v, uint32_t linked) {
    if (ancestor_[v] < linked) return label_[v];
    stack_.clear();
    do {
      stack_.push_back(v);
      v = ancestor_[v];
    } while (ancestor_[v] >= linked);
    uint32_t above = v;
    while (!stack_.empty()) {
      v = stack_.back();
      stack_.pop_back();
      ancestor_[v] = ancestor_[above];
      if (semi_[label_[above]] < semi_[label_[v]]) label_[v] = label_[above];
      above = v;
    }
    return label_[v];
  }

  void find_idoms() {
    for (uint32_t w = 1; w < size(); ++w) {
      uint32_t candidate = idom_[w];
      while (candidate > semi_[w]) candidate = idom_[candidate];
      idom_[w] = candidate;
    }
  }

  const Cfg& cfg_;
  std::vector<uint32_t> number_;  // by BlockId
  std::vector<BlockId> blocks_;
  std::vector<uint32_t> idom_;  // the parent in the search at first
  std::vector<uint32_t> ancestor_;
  std::vector<uint32_t> semi_;
  std::vector<uint32_t> label_;
  std::vector<uint32_t> stack_;
};

}  // namespace

Dominators::Dominators(const Cfg& cfg)
    : idom_(cfg.num_blocks()),
      pre_(cfg.num_blocks()),
      size_(cfg.num_blocks()),
      level_(cfg.num_blocks()),
      child_start_(cfg.num_blocks() + 1) {
  if (!cfg.entry()) return;
  SemiNca tree(cfg);
  tree.run();
  uint32_t n = tree.size();

  // Parents have smaller search numbers than their children: sizes come from a sweep downwards, then
  // preorder numbers and levels from one upwards.
  for (uint32_t v = 0; v < n; ++v) size_[tree.block(v).index()] = 1;
  for (uint32_t v = n; v-- > 1;) {
    size_[tree.block(tree.idom(v)).index()] += size_[tree.block(v).index()];
  }
  std::vector<uint32_t> next(cfg.num_blocks());
  next[tree.block(0).index()] = 1;
  for (uint32_t v = 1; v < n; ++v) {
    BlockId b = tree.block(v);
    BlockId up = tree.block(tree.idom(v));
    idom_[b.index()] = up;
    level_[b.index()] = level_[up.index()] + 1;
    pre_[b.index()] = next[up.index()];
    next[up.index()] += size_[b.index()];
    next[b.index()] = pre_[b.index()] + 1;
    ++child_start_[up.index() + 1];
  }

  preorder_.resize(n);
  for (uint32_t v = 0; v < n; ++v) preorder_[pre_[tree.block(v).index()]] = tree.block(v);
  for (uint32_t i = 0; i < cfg.num_blocks(); ++i) child_start_[i + 1] += child_start_[i];
  children_.resize(n - 1);
  next.assign(child_start_.begin(), child_start_.end() - 1);
  for (BlockId b : preorder_) {
    if (BlockId up = idom_[b.index()]) children_[next[up.index()]++] = b;
  }
}

}  // namespace psi
