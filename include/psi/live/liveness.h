// Liveness: the registers whose value may still be read where a block begins and ends.
#pragma once

#include <cstdint>
#include <vector>

#include "psi/analysis/cfg.h"
#include "psi/analysis/dominators.h"
#include "psi/analysis/order.h"
#include "psi/analysis/uses.h"
#include "psi/pass/analyses.h"
#include "psi/support/bit_matrix.h"

namespace psi {

// In all of this file: a phi reads its arguments at the end of their predecessors, after the terminators, so
// they are live-out there, and the phi alone does not make them live-in at its block; its result is not
// live-in. A parameter is defined before the entry begins, so it is live-in there if it is read. Nothing is
// live in unreachable blocks.

struct LivenessRules {
  // In plain and allocated form: does a guarded definition read the old value of its register, which it may
  // keep? Otherwise it neither reads nor kills. A partial target of a cmpp always reads the old value.
  bool guarded_definitions_read = false;
};

// For any form, for all registers at once. In plain and allocated form a guarded definition and a partial
// target of a cmpp do not kill. In SSA forms every definition kills, as there is no old value.
class Liveness {
 public:
  // Two bits for each pair of a reachable block and a register, three while computing. Time: these bits in
  // words, times the loop depth in practice.
  Liveness(const Function& function, const Cfg& cfg, const Order& order, LivenessRules rules = {});
  static constexpr Keeps kHoldsWith = Keeps::All;
  // With the default rules.
  Liveness(const Function& function, Analyses& analyses)
      : Liveness(function, analyses.get<Cfg>(), analyses.get<Order>()) {}

  bool live_in(BlockId b, Reg r) const { return is_reachable(b) && in_.test(row_[b.index()], r.index()); }
  bool live_out(BlockId b, Reg r) const { return is_reachable(b) && out_.test(row_[b.index()], r.index()); }
  // Calls visit(Reg) for each, in the order of their numbers.
  template <class Visit>
  void for_each_live_in(BlockId b, Visit visit) const {
    if (is_reachable(b)) in_.for_each_set(row_[b.index()], [&](uint32_t r) { visit(Reg(r)); });
  }
  template <class Visit>
  void for_each_live_out(BlockId b, Visit visit) const {
    if (is_reachable(b)) out_.for_each_set(row_[b.index()], [&](uint32_t r) { visit(Reg(r)); });
  }

 private:
  bool is_reachable(BlockId b) const { return row_[b.index()] != Order::kUnreachable; }

  std::vector<uint32_t> row_;  // by BlockId: its number in reverse post-order
  BitMatrix in_;
  BitMatrix out_;
};

// For SSA forms, one register at a time, on demand; results are cached. Refers to its arguments. Takes memory
// for the blocks where the queried registers are live.
class LivenessQuery {
 public:
  LivenessQuery(const Function& function, const Cfg& cfg, const Dominators& dominators, const Uses& uses);
  static constexpr Keeps kHoldsWith = Keeps::All;
  LivenessQuery(const Function& function, Analyses& analyses)
      : LivenessQuery(function, analyses.get<Cfg>(), analyses.get<Dominators>(), analyses.get<Uses>()) {}

  bool is_live_in(BlockId b, Reg r);
  bool is_live_out(BlockId b, Reg r);
  // Is r read after this instruction in its block, or live-out?
  bool is_live_after(InstId id, Reg r);

 private:
  // The facts about a register in one block. Blocks where it is neither read nor live have none.
  struct Part {
    BlockId block;
    uint32_t end_of_reads : 30 = 0;  // position of the last read in the block + 1; 0: none
    uint32_t in : 1 = 0;
    uint32_t out : 1 = 0;
  };
  struct Range {
    uint64_t first = 0;
    uint32_t count = 0;
    bool known = false;
  };

  const Part* find(BlockId b, Reg r);
  void explore(Reg r);
  Part& part(BlockId b);
  void mark_in(BlockId b);
  void mark_out(BlockId b, BlockId definition_block);

  const Function& function_;
  const Cfg& cfg_;
  const Dominators& dominators_;
  const Uses& uses_;
  std::vector<Range> ranges_;  // by Reg: its parts, sorted by block
  std::vector<Part> parts_;
  // While exploring: the part of each visited block, and the blocks whose predecessors are to be visited.
  std::vector<uint32_t> part_of_;  // by BlockId: index of its part in found_ + 1
  std::vector<Part> found_;
  std::vector<BlockId> work_;
};

}  // namespace psi
