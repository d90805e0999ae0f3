// Phi placement in small functions, where a set of blocks is a machine word.
#pragma once

#include <array>
#include <cstdint>

#include "psi/analysis/cfg.h"
#include "psi/analysis/dominators.h"
#include "ssa/phi_sites.h"

namespace psi::ssa {

// Most functions are that small, and for them the data structures of the algorithms for large functions cost
// more than the placement. Frontiers are stored for all blocks (Cytron et al. 1991), and a variable's joins
// are intersected with the blocks where it is live.
class SmallPlacement {
 public:
  static constexpr uint32_t kMaxBlocks = 64;  // reachable ones

  SmallPlacement(const Cfg& cfg, const Dominators& dominators);

  // Adds a site for each block where this variable needs a phi; false if it has no joins at all.
  bool place(Reg variable, const Variables& variables, SiteList& sites) const;

 private:
  using Set = uint64_t;  // of blocks, by preorder number

  Set set_of(std::span<const BlockId> blocks) const;

  const Dominators& dominators_;
  std::array<Set, kMaxBlocks> frontier_;
  std::array<Set, kMaxBlocks> predecessors_;
};

}  // namespace psi::ssa
