// Which phis to insert: pairs of a block and a variable.
#pragma once

#include <cstdint>
#include <memory_resource>
#include <span>
#include <vector>

#include "psi/analysis/cfg.h"
#include "psi/analysis/dominators.h"
#include "psi/ssa/construct.h"
#include "ssa/variables.h"

namespace psi::ssa {

// Which arguments of phis a block provides: each of its successors once, however many edges lead there, and
// the block's index among the successor's distinct predecessors.
class ArgumentSlots {
 public:
  ArgumentSlots(const Cfg& cfg, std::pmr::memory_resource& memory);

  struct Slot {
    BlockId to;
    uint32_t index;
  };
  std::span<const Slot> from(BlockId b) const {
    return std::span(slots_).subspan(start_[b.index()], start_[b.index() + 1] - start_[b.index()]);
  }
  // How many arguments a phi in b has.
  uint32_t count(BlockId b) const { return count_[b.index()]; }

 private:
  std::pmr::vector<uint32_t> start_;  // by BlockId, and one more
  std::pmr::vector<Slot> slots_;
  std::pmr::vector<uint32_t> count_;  // by BlockId
};

// A phi for this variable in this block.
struct PhiSite {
  Reg variable;
  BlockId block;
};

// The same by block, in the order of variables.
class PhiSites {
 public:
  // From sites in any order.
  PhiSites(uint32_t num_blocks, std::span<const PhiSite> sites, std::pmr::memory_resource& memory);

  // The variables that have a phi in this block, and the numbers of these sites.
  std::span<const Reg> variables(BlockId b) const {
    return std::span(variables_).subspan(start_[b.index()], start_[b.index() + 1] - start_[b.index()]);
  }
  uint32_t first(BlockId b) const { return start_[b.index()]; }
  uint32_t size() const { return static_cast<uint32_t>(variables_.size()); }

 private:
  std::pmr::vector<uint32_t> start_;  // by BlockId, and one more
  std::pmr::vector<Reg> variables_;
};

// Where the phis of all variables go, sorted by variable.
using SiteList = std::pmr::vector<PhiSite>;
struct Placement {
  explicit Placement(std::pmr::memory_resource& memory) : live(&memory), joins(&memory) {}

  SiteList live;   // known to be of use
  SiteList joins;  // minimal or semi-pruned
};
Placement place_phis(const Variables& variables, Analyses& analyses, const ConstructOptions& options,
                     std::pmr::memory_resource& memory, Counters& counters);

// Drops the sites at which the variable is not read later. The sites must be sorted by variable and complete
// for each variable; the remaining sites are sorted by variable in each block.
void prune(SiteList& sites, const Variables& variables, const Cfg& cfg, const Dominators& dominators,
           const ArgumentSlots& slots);
// Two algorithms: the first is fast where joins have few predecessors, the second costs nothing for dead
// joins, however many predecessors they have.
void prune_by_walk(SiteList& sites, const Variables& variables, const Dominators& dominators,
                   const ArgumentSlots& slots, uint32_t num_blocks);
void prune_by_search(SiteList& sites, const Variables& variables, const Cfg& cfg,
                     const Dominators& dominators);

}  // namespace psi::ssa
