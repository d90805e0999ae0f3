// The interval of every integer register, refined where it is read.
//
//     %c = cmp.lt.i32 %i, 10      in @body, %i is less than 10;
//     br %c, @body, @exit         in @exit, it is not
//
// Sparse: from definitions to uses, around loops until nothing changes; phis that keep growing are widened,
// and two further iterations narrow them again. A condition holds in the blocks that its branch edge
// dominates, in reads under a guard, and in the arms of psis and selects. Nothing is claimed of a register
// where it is undef.
#pragma once

#include <vector>

#include "optimise/ranges/ranges_interval.h"
#include "psi/analysis/dominators.h"
#include "psi/analysis/uses.h"
#include "psi/pass/analyses.h"

namespace psi::optimise {

class ValueRanges {
 public:
  // Near-linear. All blocks must be reachable.
  ValueRanges(const Function& function, Analyses& analyses);

  // Of an integer, as the instruction reads it; empty if it never does.
  Interval at(Operand operand, InstId reader) const;
  // Of the result of an instruction.
  Interval operator()(Reg r) const { return ranges_[r.index()]; }

 private:
  // In the blocks that `block` dominates, the compare holds, or does not; the register is one of its
  // operands. Without a compare, the register has this value.
  struct Fact {
    Reg reg;
    BlockId block;
    InstId compare;
    bool is_left = true;
    bool holds = true;
    uint64_t value = 0;
  };
  // The most facts of a register that are considered, the last first.
  static constexpr uint32_t kMaxFacts = 16;
  // The most terminators of a block that are considered.
  static constexpr size_t kMaxTerminators = 64;
  // The changes of a phi before it is widened.
  static constexpr uint32_t kMaxExactChanges = 3;

  void find_facts();
  void add_branch_facts(BlockId b);
  template <class Visit>
  void for_each_fact(Operand predicate, bool holds, Visit visit) const;
  void sort_facts();

  Interval of(Operand operand) const;
  Interval in_block(Operand operand, BlockId b) const;
  Interval under(Operand operand, Interval interval, Operand predicate, bool holds) const;
  Interval apply(const Fact& fact, Interval interval) const;
  Interval on_edge(Operand operand, BlockId from, BlockId to) const;

  void ascend();
  bool is_computed(InstId id) const;
  bool grow(InstId id);
  void add_to(std::vector<InstId>& work, InstId id);
  void descend();
  Interval evaluate(InstId id) const;

  const Function& function_;
  Analyses& analyses_;
  const Uses& uses_;
  const Dominators& dominators_;
  std::vector<Interval> ranges_;     // by Reg
  std::vector<Fact> facts_;          // by Reg
  std::vector<uint32_t> start_;      // by Reg, and one more: in facts_
  std::vector<InstId> computed_;     // in the order of blocks
  std::vector<uint8_t> is_waiting_;  // by InstId
  std::vector<uint8_t> is_loose_;    // by InstId: it was evaluated to less than its interval
  std::vector<uint8_t> changes_;     // by Reg
  bool ascending_ = true;
};

}  // namespace psi::optimise
