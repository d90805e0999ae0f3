// Which instructions, results and blocks something observable depends on.
#pragma once

#include <cstdint>
#include <vector>

#include "psi/analyses.h"
#include "psi/module.h"
#include "transform/branch_index.h"

namespace psi::transform {

// Cytron et al. 1991, section 7.1. All is dead but for effects, returns and loops, which may run forever;
// what a live instruction reads is live, its guard included, and so are the branches that decide whether its
// block is executed. A live phi needs its predecessors, and with them the branches that choose between these.
// What is written to a slot is live if the slot is, because something else reads it or may know its address.
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

}  // namespace psi::transform
