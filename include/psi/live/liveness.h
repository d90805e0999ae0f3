// Liveness: the registers whose value may still be read where a block begins and ends.
#pragma once

#include <algorithm>
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

// The blocks where single registers of SSA form are live, each register found by walking back from its reads.
// In SSA form the definition dominates every read, so the walk along predecessors ends there, and the
// register is live in every block passed. `Part` holds what is known of a register in one block: its `block`,
// whether it is live `in` and `out`, and the `end_of_reads` in the block, which begins at 0. Blocks where a
// register is neither read nor live have no part.
template <class Part>
class LiveParts {
 public:
  struct Range {
    uint64_t first = 0;
    uint32_t count = 0;
    bool known = false;
  };

  LiveParts(const Cfg& cfg, const Dominators& dominators)
      : cfg_(cfg), dominators_(dominators), part_of_(cfg.num_blocks()) {}

  // Null: the block has none.
  const Part* find(const Range& range, BlockId b) const {
    const Part* first = parts_.data() + range.first;
    const Part* last = first + range.count;
    const Part* part = std::lower_bound(first, last, b, [](const Part& a, BlockId c) { return a.block < c; });
    return part != last && part->block == b ? part : nullptr;
  }

  // To explore a register: all its reads, then finish(). `definition`: none for a parameter, which comes from
  // before the entry.
  template <class End>
  void read(BlockId b, End end, BlockId definition) {
    if (!dominators_.is_reachable(b)) return;
    Part& at = part(b);
    if (at.end_of_reads < end) at.end_of_reads = end;
    if (b != definition) mark_in(b);
  }
  void read_at_end(BlockId b, BlockId definition) {
    if (!dominators_.is_reachable(b)) return;
    Part& at = part(b);
    if (at.out) return;
    at.out = 1;
    if (b != definition) mark_in(b);
  }
  Range finish(BlockId definition) {
    while (!work_.empty()) {
      BlockId b = work_.back();
      work_.pop_back();
      for (BlockId p : cfg_.predecessors(b)) read_at_end(p, definition);
    }
    for (const Part& found : found_) part_of_[found.block.index()] = 0;
    std::sort(found_.begin(), found_.end(), [](const Part& a, const Part& b) { return a.block < b.block; });
    Range range{parts_.size(), static_cast<uint32_t>(found_.size()), true};
    parts_.insert(parts_.end(), found_.begin(), found_.end());
    found_.clear();
    return range;
  }

 private:
  Part& part(BlockId b) {
    uint32_t& at = part_of_[b.index()];
    if (at == 0) {
      found_.push_back({.block = b});
      at = static_cast<uint32_t>(found_.size());
    }
    return found_[at - 1];
  }
  void mark_in(BlockId b) {
    Part& at = part(b);
    if (at.in) return;
    at.in = 1;
    work_.push_back(b);
  }

  const Cfg& cfg_;
  const Dominators& dominators_;
  std::vector<Part> parts_;  // of one register adjacent, sorted by block
  // While exploring: the part of each visited block, and the blocks whose predecessors are to be visited.
  std::vector<uint32_t> part_of_;  // by BlockId: index of its part in found_ + 1
  std::vector<Part> found_;
  std::vector<BlockId> work_;
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
  struct Part {
    BlockId block;
    uint32_t end_of_reads : 30 = 0;  // position of the last read in the block + 1; 0: none
    uint32_t in : 1 = 0;
    uint32_t out : 1 = 0;
  };

  const Part* find(BlockId b, Reg r);
  void explore(Reg r);

  const Function& function_;
  const Uses& uses_;
  LiveParts<Part> parts_;
  std::vector<LiveParts<Part>::Range> ranges_;  // by Reg
};

}  // namespace psi
