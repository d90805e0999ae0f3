// Which registers are live where a block begins and ends: whose value may still be read.
#pragma once

#include <cstdint>
#include <vector>

#include "psi/bit_matrix.h"
#include "psi/cfg.h"
#include "psi/dominators.h"
#include "psi/order.h"
#include "psi/uses.h"

namespace psi {

// In all of this file: a phi reads its arguments at the end of their predecessors, after the terminators, so
// they are live-out there and not live-in at the phi's block for its sake; its result is not live-in. A
// parameter is defined before the entry begins, so it is live-in there if it is read. Nothing is live in
// unreachable blocks.

struct LivenessRules {
  // In plain and allocated form: does a guarded definition read what its register held before? (It may keep
  // it.) Otherwise it neither reads nor kills. A partial target of a cmpp reads it in any case.
  bool guarded_definitions_read = false;
};

// For any form, for all registers at once. In plain and allocated form a guarded definition and a partial
// target of a cmpp do not kill. In SSA forms every definition does, as there is nothing that it could keep.
class Liveness {
 public:
  // Two bits for each pair of a reachable block and a register, three while computing. Time: these, in words,
  // times the depth of loops in practice.
  Liveness(const Function& function, const Cfg& cfg, const Order& order, LivenessRules rules = {});

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

// For SSA forms, one register at a time: what is found for a register when it is first asked about is kept.
// Refers to what it was made from. Takes memory for the blocks where the registers asked about are live.
class LivenessQuery {
 public:
  LivenessQuery(const Function& function, const Cfg& cfg, const Dominators& dominators, const Uses& uses);

  bool is_live_in(BlockId b, Reg r);
  bool is_live_out(BlockId b, Reg r);
  // Is r, once this instruction is done, read later in its block, or live-out?
  bool is_live_after(InstId id, Reg r);

 private:
  // What is known of a register in one block. Blocks where it is neither read nor live have none.
  struct Place {
    BlockId block;
    uint32_t end_of_reads : 30 = 0;  // one above the position of the last read in the block; 0: none
    uint32_t in : 1 = 0;
    uint32_t out : 1 = 0;
  };
  struct Range {
    uint64_t first = 0;
    uint32_t count = 0;
    bool known = false;
  };

  const Place* find(BlockId b, Reg r);
  void explore(Reg r);
  Place& place(BlockId b);
  void mark_in(BlockId b);
  void mark_out(BlockId b, BlockId definition_block);

  const Function& function_;
  const Cfg& cfg_;
  const Dominators& dominators_;
  const Uses& uses_;
  std::vector<Range> ranges_;  // by Reg: which places are its own, sorted by block
  std::vector<Place> places_;
  // While exploring: the place of each block seen, and the blocks whose predecessors are to be visited.
  std::vector<uint32_t> place_of_;  // by BlockId: one above its place's position in found_
  std::vector<Place> found_;
  std::vector<BlockId> work_;
};

}  // namespace psi
