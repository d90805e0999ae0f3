// Bilardi and Pingali, "Algorithms for Computing the Static Single Assignment Form" (2003), section 4.
//
// As with the DJ-graph, definitions are taken from the deepest to the shallowest and a frontier is searched
// in the dominator subtree of the root; but the walk ends at boundary blocks, which store their frontier, and
// a list is read only as far as it concerns the root. A definition costs about the size of its frontier,
// which makes this the choice for functions with many blocks and many variables.

#include "psi/analysis/augmented_tree.h"
#include "psi/analysis/cfg.h"
#include "psi/analysis/dominators.h"
#include "ssa/placement.h"

namespace psi::ssa {
namespace {

class AdtPlacement : public PhiPlacement {
 public:
  AdtPlacement(Analyses& analyses, std::pmr::memory_resource& memory)
      : dominators_(analyses.get<Dominators>()),
        tree_(analyses.get<AugmentedTree>()),
        roots_(dominators_, memory),
        marked_(analyses.get<Cfg>().num_blocks(), memory),
        placed_(analyses.get<Cfg>().num_blocks(), memory),
        work_(&memory) {}

  using PhiPlacement::place;
  void place(std::span<const BlockId> definitions, const BlockSet* within,
             std::vector<BlockId>& joins) override {
    within_ = within;
    marked_.clear();
    placed_.clear();
    for (BlockId b : definitions) {
      if (dominators_.is_reachable(b)) add(b);
    }
    while (!roots_.empty()) visit_zone(roots_.pop(), joins);
  }

 private:
  void add(BlockId b) {
    if (!marked_.insert(b)) return;
    roots_.push(b);
    ++elements_;
  }

  void visit_zone(BlockId root, std::vector<BlockId>& joins) {
    uint32_t level = dominators_.level(root);
    take(root);
    work_.push_back(root);
    while (!work_.empty()) {
      BlockId b = work_.back();
      work_.pop_back();
      for (BlockId join : tree_.list(b)) {
        if (dominators_.level(dominators_.idom(join)) >= level) break;
        if ((within_ && !within_->contains(join)) || !placed_.insert(join)) continue;
        joins.push_back(join);
        find(root, join);
        add(join);
      }
      if (tree_.is_boundary(b)) continue;
      // The joins of a marked child are found when it is a root, since it is deeper.
      for (BlockId child : dominators_.children(b)) {
        if (!marked_.contains(child)) work_.push_back(child);
      }
    }
  }

  const Dominators& dominators_;
  const AugmentedTree& tree_;
  const BlockSet* within_ = nullptr;
  DeepestFirst roots_;
  BlockSet marked_;  // definitions and phis
  BlockSet placed_;
  std::pmr::vector<BlockId> work_;
};

}  // namespace

std::unique_ptr<PhiPlacement> make_adt_placement(Analyses& analyses, std::pmr::memory_resource& memory) {
  return std::make_unique<AdtPlacement>(analyses, memory);
}

}  // namespace psi::ssa
