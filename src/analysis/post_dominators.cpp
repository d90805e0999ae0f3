// Post-dominators are the dominators of the reversed graph (semi_nca.cpp), entered through a virtual exit.
//
// What cannot leave the function gets an edge to the virtual exit of its own. The blocks that reach no exit
// are closed under successors, so they contain strongly connected components without a way out: those that
// Tarjan's algorithm ("Depth-First Search and Linear Graph Algorithms", 1972) completes without having met
// an edge to another component. One edge from each is enough to connect all blocks, and no edge less is.
//
// Linear, but for semi-NCA.

#include "psi/post_dominators.h"

#include <algorithm>

#include "analysis/semi_nca.h"

namespace psi {
namespace {

using analysis::kUnseen;

class ExitFinder {
 public:
  ExitFinder(const Function& function, const Cfg& cfg, const Order& order)
      : function_(function), cfg_(cfg), order_(order), leaves_(cfg.num_blocks()) {}

  std::vector<BlockId> run() {
    find_real_exits();
    mark_what_leaves();
    find_endless_regions();
    std::sort(exits_.begin(), exits_.end(),
              [&](BlockId a, BlockId b) { return order_.number(a) < order_.number(b); });
    return std::move(exits_);
  }

 private:
  void find_real_exits() {
    for (BlockId b : order_.reverse_post_order()) {
      for (InstId id : function_.terminators(b)) {
        Opcode op = function_.inst(id).op;
        if (op != Opcode::Ret && op != Opcode::Unreachable) continue;
        exits_.push_back(b);
        break;
      }
    }
  }

  void mark_what_leaves() {
    std::vector<BlockId> work;
    auto mark = [&](BlockId b) {
      if (leaves_[b.index()]) return;
      leaves_[b.index()] = 1;
      work.push_back(b);
    };
    for (BlockId b : exits_) mark(b);
    while (!work.empty()) {
      BlockId b = work.back();
      work.pop_back();
      for (BlockId p : cfg_.predecessors(b)) mark(p);
    }
  }

  void find_endless_regions() {
    for (BlockId b : order_.reverse_post_order()) {
      if (leaves_[b.index()]) continue;
      // Most functions never come here, and pay for no arrays.
      if (number_.empty()) {
        number_.assign(cfg_.num_blocks(), kUnseen);
        low_.resize(cfg_.num_blocks());
      }
      if (number_[b.index()] == kUnseen) find_components(b);
    }
  }

  void find_components(BlockId root) {
    struct Visit {
      BlockId block;
      uint32_t next;
    };
    std::vector<Visit> stack;
    auto enter = [&](BlockId b) {
      number_[b.index()] = low_[b.index()] = next_number_++;
      open_.push_back(b);
      stack.push_back({b, 0});
    };
    enter(root);
    while (!stack.empty()) {
      BlockId b = stack.back().block;
      std::span<const BlockId> successors = cfg_.successors(b);
      if (stack.back().next < successors.size()) {
        BlockId to = successors[stack.back().next++];
        if (number_[to.index()] == kUnseen) {
          enter(to);
        } else {
          // In a finished component this is kDone, which lowers nothing.
          low_[b.index()] = std::min(low_[b.index()], low_[to.index()]);
        }
        continue;
      }
      stack.pop_back();
      if (!stack.empty()) {
        uint32_t up = stack.back().block.index();
        low_[up] = std::min(low_[up], low_[b.index()]);
      }
      if (low_[b.index()] == number_[b.index()]) finish_component(b);
    }
  }

  // The component is what was opened since `first`, its first block.
  void finish_component(BlockId first) {
    size_t begin = open_.size();
    do --begin;
    while (open_[begin] != first);
    std::span<const BlockId> component = std::span(open_).subspan(begin);
    // Everything else that it leads to is finished already.
    bool has_way_out = false;
    BlockId last = first;
    for (BlockId b : component) {
      for (BlockId to : cfg_.successors(b)) has_way_out |= low_[to.index()] == kDone;
      if (order_.number(b) > order_.number(last)) last = b;
    }
    if (!has_way_out) exits_.push_back(last);
    for (BlockId b : component) low_[b.index()] = kDone;
    open_.resize(begin);
  }

  static constexpr uint32_t kDone = UINT32_MAX;

  const Function& function_;
  const Cfg& cfg_;
  const Order& order_;
  std::vector<BlockId> exits_;
  std::vector<uint8_t> leaves_;   // by BlockId: can it reach an exit?
  std::vector<uint32_t> number_;  // by BlockId, in order of discovery
  std::vector<uint32_t> low_;     // by BlockId: the least number known in its component; kDone when finished
  std::vector<BlockId> open_;     // those whose component is not finished
  uint32_t next_number_ = 0;
};

}  // namespace

PostDominators::PostDominators(const Function& function, const Cfg& cfg, const Order& order)
    : exit_(cfg.num_blocks()) {
  analysis::ImmediateDominators found;
  if (cfg.entry()) {
    exits_ = ExitFinder(function, cfg, order).run();
    found = semi_nca(analysis::ReversedGraph(cfg, order, exits_));
  }
  tree_ = BlockTree(cfg.num_blocks() + 1, found.nodes, found.idoms);
}

}  // namespace psi
