// Sreedhar and Gao, "A Linear Time Algorithm for Placing Phi-Nodes" (1995).
//
// Takes the definitions from the deepest to the shallowest. The frontier of one, the root, is found by a walk
// over its dominator subtree: y at a J-edge x -> y is in it if y is no deeper than the root. (Without that
// test, which one retelling forgets, the walk would take blocks inside the subtree for its frontier.) A block
// visited from a deeper root need not be visited again: its joins are no deeper than that root.
//
// A variable costs the size of the subtrees of its definitions, at most that of the whole graph; so V
// variables may cost V times the graph.

#include "psi/analysis/cfg.h"
#include "psi/analysis/dj_graph.h"
#include "psi/analysis/dominators.h"
#include "ssa/placement.h"

namespace psi::ssa {
namespace {

class DjGraphPlacement : public PhiPlacement {
 public:
  DjGraphPlacement(Analyses& analyses, std::pmr::memory_resource& memory)
      : dominators_(analyses.get<Dominators>()),
        graph_(analyses.get<DjGraph>()),
        roots_(dominators_, memory),
        in_roots_(analyses.get<Cfg>().num_blocks(), memory),
        visited_(analyses.get<Cfg>().num_blocks(), memory),
        placed_(analyses.get<Cfg>().num_blocks(), memory),
        work_(&memory) {}

  using PhiPlacement::place;
  void place(std::span<const BlockId> definitions, const BlockSet* within,
             std::vector<BlockId>& joins) override {
    within_ = within;
    in_roots_.clear();
    visited_.clear();
    placed_.clear();
    for (BlockId b : definitions) {
      if (dominators_.is_reachable(b)) add(b);
    }
    while (!roots_.empty()) visit_subtree(roots_.pop(), joins);
  }

 private:
  void add(BlockId b) {
    if (!in_roots_.insert(b)) return;
    roots_.push(b);
    ++elements_;
  }

  void visit_subtree(BlockId root, std::vector<BlockId>& joins) {
    uint32_t level = dominators_.level(root);
    take(root);
    visited_.insert(root);
    work_.push_back(root);
    while (!work_.empty()) {
      BlockId b = work_.back();
      work_.pop_back();
      for (BlockId join : graph_.join_edges(b)) {
        if (dominators_.level(join) > level || (within_ && !within_->contains(join)) || !placed_.insert(join))
          continue;
        joins.push_back(join);
        find(root, join);
        add(join);
      }
      for (BlockId child : dominators_.children(b)) {
        if (visited_.insert(child)) work_.push_back(child);
      }
    }
  }

  const Dominators& dominators_;
  const DjGraph& graph_;
  const BlockSet* within_ = nullptr;
  DeepestFirst roots_;
  BlockSet in_roots_;  // all that ever were
  BlockSet visited_;
  BlockSet placed_;
  std::pmr::vector<BlockId> work_;
};

}  // namespace

std::unique_ptr<PhiPlacement> make_dj_graph_placement(Analyses& analyses, std::pmr::memory_resource& memory) {
  return std::make_unique<DjGraphPlacement>(analyses, memory);
}

}  // namespace psi::ssa
