// The terminators of one block, as few and as plain as they can be.
//
//     switch.i32 %x, @d, [1: @a], [2: @d]   ==>   %p = cmp.eq.i32 %x, 1
//                                                 br %p, @a, @d
//     br %p, @trap, @a                      ==>   br @a                      @trap: unreachable
#pragma once

#include <cstdint>
#include <vector>

#include "psi/function.h"
#include "psi/guard_facts.h"
#include "transform/terminators.h"

namespace psi::transform {

class TerminatorSimplification {
 public:
  explicit TerminatorSimplification(Function& function)
      : function_(function), folding_(function), has_guards_(has_guards(function)) {}

  // True if something changed; edges may be gone, and with them the entries of phis. Linear in the block's
  // targets and, where it cannot be survived, in its instructions.
  bool simplify(BlockId b);

  uint64_t traps_avoided() const { return traps_avoided_; }
  uint64_t switches_reduced() const { return switches_reduced_; }
  uint64_t branches_folded() const { return branches_folded_; }

 private:
  bool is_trap(Operand block) const;
  bool avoid_traps(BlockId b);
  bool avoid_traps_in(InstId id);
  bool drop_what_comes_to_the_same(BlockId b);
  bool cut_before_trap(BlockId b);
  bool reduce_switch(BlockId b, InstId id);
  void become_trap(InstId id);

  Function& function_;
  TerminatorFolding folding_;
  // What a branch to a trap says of predicates, psis may rely on.
  const bool has_guards_;
  std::vector<BlockId> targets_;
  std::vector<InstId> insts_;
  std::vector<Operand> operands_;
  std::vector<uint64_t> counts_;
  uint64_t traps_avoided_ = 0, switches_reduced_ = 0, branches_folded_ = 0;
};

}  // namespace psi::transform
