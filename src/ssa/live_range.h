// The blocks at whose start one variable is live, if they are few.
#pragma once

#include <vector>

#include "psi/analysis/cfg.h"
#include "psi/analysis/dominators.h"
#include "ssa/placement.h"
#include "ssa/variables.h"

namespace psi::ssa {

// Most variables live for a block or two. The range of such a variable is found by walking back from the
// blocks that read it, which costs less than computing joins, and prunes dead phis. Long searches are given
// up.
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
  // Is one of them a join? Otherwise the variable needs no phi.
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
