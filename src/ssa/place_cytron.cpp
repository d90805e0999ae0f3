// Cytron, Ferrante, Rosen, Wegman and Zadeck, "Efficiently Computing Static Single Assignment Form and the
// Control Dependence Graph" (1991), section 5.1: the frontiers of all blocks, then a worklist for each
// variable.
//
// A variable costs the sizes of the frontiers of its definitions and phis. The frontiers of all blocks
// together can be quadratic in the size of the graph (a ladder of nested loops).

#include "psi/analysis/cfg.h"
#include "psi/analysis/frontiers.h"
#include "ssa/placement.h"

namespace psi::ssa {
namespace {

class CytronPlacement : public PhiPlacement {
 public:
  CytronPlacement(Analyses& analyses, std::pmr::memory_resource& memory)
      : frontiers_(analyses.get<DominanceFrontiers>()),
        work_set_(analyses.get<Cfg>().num_blocks(), memory),
        placed_(analyses.get<Cfg>().num_blocks(), memory),
        work_(&memory) {}

  using PhiPlacement::place;
  void place(std::span<const BlockId> definitions, const BlockSet* within,
             std::vector<BlockId>& joins) override {
    within_ = within;
    work_set_.clear();
    placed_.clear();
    for (BlockId b : definitions) add(b);
    while (!work_.empty()) {
      BlockId b = work_.back();
      work_.pop_back();
      take(b);
      for (BlockId join : frontiers_.of(b)) {
        if ((within_ && !within_->contains(join)) || !placed_.insert(join)) continue;
        joins.push_back(join);
        find(b, join);
        add(join);
      }
    }
  }

 private:
  void add(BlockId b) {
    if (!work_set_.insert(b)) return;
    work_.push_back(b);
    ++elements_;
  }

  const DominanceFrontiers& frontiers_;
  const BlockSet* within_ = nullptr;
  BlockSet work_set_;  // all blocks that were ever in the worklist
  BlockSet placed_;
  std::pmr::vector<BlockId> work_;
};

}  // namespace

std::unique_ptr<PhiPlacement> make_cytron_placement(Analyses& analyses, std::pmr::memory_resource& memory) {
  return std::make_unique<CytronPlacement>(analyses, memory);
}

}  // namespace psi::ssa
