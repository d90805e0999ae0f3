// Post-dominators are the dominators of the reversed graph (semi_nca.cpp), entered through a virtual exit.
//
// Endless regions get edges to the virtual exit. The blocks that reach no exit are closed under successors,
// so they contain strongly connected components without an exit. One edge from each such component is
// necessary and sufficient to connect all blocks.
//
// Linear, but for semi-NCA.

#include "psi/analysis/post_dominators.h"

#include <algorithm>
#include <optional>

#include "analysis/semi_nca.h"
#include "psi/analysis/cfg.h"
#include "psi/analysis/order.h"
#include "support/components.h"
#include "support/scratch.h"

namespace psi {
namespace {

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
    std::optional<Components> components;  // rarely needed, so most functions pay for no arrays
    for (BlockId b : order_.reverse_post_order()) {
      if (leaves_[b.index()]) continue;
      if (!components) {
        components.emplace(cfg_.num_blocks());
        is_finished_.resize(cfg_.num_blocks());
      }
      if (components->is_visited(b.index())) continue;
      auto num_edges = [&](uint32_t node) {
        return static_cast<uint32_t>(cfg_.successors(BlockId(node)).size());
      };
      auto target = [&](uint32_t node, uint32_t i) { return cfg_.successors(BlockId(node))[i].index(); };
      components->visit(b.index(), num_edges, target,
                        [&](std::span<const uint32_t> members) { finish_region(members); });
    }
  }

  // All other components that it leads to are finished already.
  void finish_region(std::span<const uint32_t> members) {
    bool has_exit = false;
    BlockId last(members[0]);
    for (uint32_t member : members) {
      for (BlockId to : cfg_.successors(BlockId(member))) has_exit |= is_finished_[to.index()];
      if (order_.number(BlockId(member)) > order_.number(last)) last = BlockId(member);
    }
    if (!has_exit) exits_.push_back(last);
    for (uint32_t member : members) is_finished_[member] = true;
  }

  const Function& function_;
  const Cfg& cfg_;
  const Order& order_;
  std::vector<BlockId> exits_;
  std::vector<uint8_t> leaves_;    // by BlockId: can it reach an exit?
  std::vector<bool> is_finished_;  // by BlockId: in a component that was processed
};

}  // namespace

PostDominators::PostDominators(const Function& function, const Cfg& cfg, const Order& order)
    : exit_(cfg.num_blocks()) {
  if (!cfg.entry()) {
    tree_ = BlockTree(cfg.num_blocks() + 1, {}, {});
    return;
  }
  Scratch scratch;
  exits_ = ExitFinder(function, cfg, order).run();
  analysis::ImmediateDominators found = semi_nca(analysis::ReversedGraph(cfg, order, exits_), scratch);
  tree_ = BlockTree(cfg.num_blocks() + 1, found.nodes, found.idoms);
}

}  // namespace psi
