// Simplifies the terminators of one block.
//
//     switch.i32 %x, @d, [1: @a], [2: @d]   ==>   %p = cmp.eq.i32 %x, 1
//                                                 br %p, @a, @d
//     br %p, @trap, @a                      ==>   br @a                      @trap: unreachable
#pragma once

#include <cstdint>
#include <vector>

#include "cfg/terminators.h"
#include "psi/ir/function.h"
#include "psi/predicate/guard_facts.h"

namespace psi::optimise {

class TerminatorSimplification {
 public:
  explicit TerminatorSimplification(Function& function)
      : function_(function), folding_(function), has_guards_(has_guards(function)) {}

  // True if something changed; edges and their phi entries may be gone. Linear in the block's targets and,
  // for blocks that lead to a trap, in its instructions.
  bool simplify(BlockId b);

  uint64_t traps_avoided() const { return traps_avoided_; }
  uint64_t switches_reduced() const { return switches_reduced_; }
  uint64_t branches_folded() const { return branches_folded_; }

 private:
  bool is_trap(BlockId block) const;
  bool avoid_traps(BlockId b);
  bool avoid_traps_in(InstId id);
  bool drop_redundant_jumps(BlockId b);
  bool cut_before_trap(BlockId b);
  bool reduce_switch(BlockId b, InstId id);
  void become_trap(InstId id);

  Function& function_;
  cfg::TerminatorFolding folding_;
  // Psis may depend on facts from a branch to a trap.
  const bool has_guards_;
  std::vector<BlockId> targets_;
  std::vector<InstId> insts_;
  std::vector<Operand> operands_;
  std::vector<uint64_t> counts_;
  uint64_t traps_avoided_ = 0, switches_reduced_ = 0, branches_folded_ = 0;
};

}  // namespace psi::optimise
