// The blocks at whose begin one variable is live, where they are few.
#pragma once

#include <vector>

#include "ssa/placement.h"
#include "ssa/variables.h"

namespace psi::ssa {

// Most variables live for a block or two. Of these the range is found by going back from the blocks that read
// them, which costs less than to look for joins; and it says where phis are of use. The search ends where it
// becomes longer than the variable is worth.
class LiveRange {
 public:
  LiveRange(const Variables& variables, const Cfg& cfg, const Dominators& dominators,
            std::pmr::memory_resource& memory)
      : variables_(variables),
        cfg_(cfg),
        dominators_(dominators),
        live_(cfg.num_blocks(), memory),
        defined_(cfg.num_blocks(), memory),
        work_(&memory) {}

  // False if it was given up.
  bool find(Reg variable);
  const BlockSet& blocks() const { return live_; }
  // Is one of them a join? Otherwise there is no place for a phi.
  bool has_join() const { return has_join_; }

 private:
  void add(BlockId b) {
    if (live_.insert(b)) work_.push_back(b);
  }

  const Variables& variables_;
  const Cfg& cfg_;
  const Dominators& dominators_;
  BlockSet live_;
  BlockSet defined_;
  bool has_join_ = false;
  std::pmr::vector<BlockId> work_;
};

}  // namespace psi::ssa
