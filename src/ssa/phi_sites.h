// Which phis to insert: pairs of a block and a variable.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "psi/ssa.h"
#include "ssa/variables.h"

namespace psi::ssa {

// Which arguments of phis a block provides: each of its successors once, however many edges lead there, and
// where the block stands among that one's distinct predecessors.
class ArgumentSlots {
 public:
  explicit ArgumentSlots(const Cfg& cfg);

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
  std::vector<uint32_t> start_;  // by BlockId, and one more
  std::vector<Slot> slots_;
  std::vector<uint32_t> count_;  // by BlockId
};

class PhiSites {
 public:
  struct Site {
    Reg variable;
    BlockId block;
  };
  // Sites in any order of blocks, by variable.
  PhiSites(uint32_t num_blocks, std::span<const Site> sites);

  // The variables that have a phi in this block, and the numbers of these sites.
  std::span<const Reg> variables(BlockId b) const {
    return std::span(variables_).subspan(start_[b.index()], start_[b.index() + 1] - start_[b.index()]);
  }
  uint32_t first(BlockId b) const { return start_[b.index()]; }
  uint32_t size() const { return static_cast<uint32_t>(variables_.size()); }

  // Drops the sites that are not kept.
  void filter(const std::vector<bool>& keep);

 private:
  std::vector<uint32_t> start_;  // by BlockId, and one more
  std::vector<Reg> variables_;
};

// Places the phis of every variable, minimal or semi-pruned.
PhiSites place_phis(const Variables& variables, Analyses& analyses, const ConstructOptions& options,
                    Counters& counters);

// Drops the sites at which the variable is not read later.
void prune(PhiSites& sites, const Variables& variables, const Cfg& cfg, const Dominators& dominators,
           const ArgumentSlots& slots);

}  // namespace psi::ssa
