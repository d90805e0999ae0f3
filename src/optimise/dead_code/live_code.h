// Liveness of instructions, results and blocks for dead code elimination.
#pragma once

#include <cstdint>
#include <vector>

#include "optimise/dead_code/branch_index.h"
#include "psi/analysis/uses.h"
#include "psi/ir/module.h"
#include "psi/pass/analyses.h"

namespace psi::optimise {

// Cytron et al. 1991, section 7.1. Everything is dead except effects, returns and loops, which may run
// forever. The operands of a live instruction are live, its guard included, and so are the branches that its
// block is control dependent on. A live phi needs its predecessors, and the branches that choose between
// them. A store to a slot is live if the slot is read or its address escapes.
class LiveCode {
 public:
  // Every block must be reachable; SSA form. Near-linear.
  LiveCode(const Module& module, const Function& function, Analyses& analyses);

  bool is_live(InstId id) const { return is_live_[id.index()] != 0; }
  bool is_live(Reg result) const { return is_read_[result.index()] != 0; }
  // Must control come through this block?
  bool is_live(BlockId b) const { return is_live_block_[b.index()] != 0; }

 private:
  bool is_root(const Inst& inst) const;
  Reg written_slot(const Inst& inst) const;
  void find_slots();
  void find_roots();
  void mark(InstId id);
  void mark(BlockId b);
  void mark_terminators(BlockId b);
  void read(Operand operand);
  void visit(InstId id);

  const Module& module_;
  const Function& function_;
  Analyses& analyses_;
  const Uses& uses_;
  BranchIndex branches_;
  std::vector<uint8_t> is_live_;        // by InstId
  std::vector<uint8_t> is_read_;        // by Reg
  std::vector<uint8_t> is_live_block_;  // by BlockId
  std::vector<Reg> slot_;               // by Reg: the slot that an address points into, if that is plain
  std::vector<InstId> last_write_;      // by Reg of a slot
  std::vector<InstId> earlier_write_;   // by InstId: another one to the same slot
  std::vector<InstId> pending_;
};

}  // namespace psi::optimise
