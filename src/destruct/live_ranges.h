// Where registers hold values that are still to be read, and under which conditions.
//
// A normalized psi reads its last argument where it stands, and each of the others where the next one is
// defined, or, if that is a psi, the first of those it joins: up to there the register of the web keeps the
// value (de Ferriere 2007, section 4.4). It does not read its guards: the definitions have. A phi reads its
// arguments at the end of the predecessors. Neither writes anything: the definitions of the arguments have.
//
// All instructions are numbered, block after block in reverse post-order, so that a register is live in a
// few stretches only. Who asks what else is live has these cut where a new tile begins, each so many numbers:
// two registers can be live together, or one be written where the other is live, only in a tile that both
// have stretches in.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "destruct/conditions.h"
#include "destruct/copies.h"
#include "psi/analyses.h"
#include "psi/function.h"

namespace psi::destruction {

// Each block has a position for its head, where phis and parameters are defined, then one for each
// instruction; copies that happen together share one. At the next block's head, as it were, phis read their
// arguments.
inline constexpr uint32_t kTileSize = 64;
constexpr uint32_t tile_of(uint32_t position) { return position / kTileSize; }

// A stretch, or what of it is in one tile: live after every position from `start` on and before `end`.
struct Place {
  uint32_t start;  // of the definition, or of the head of a block, or where the tile begins
  uint32_t end;    // of the last that reads it, or of the next block's head, or where the next tile begins
  uint32_t tile() const { return tile_of(start); }
  bool is_live_after(uint32_t position) const { return start <= position && position < end; }
};

struct LiveRange {
  Reg reg;
  uint32_t condition = Conditions::kAlways;
  // The register's own value; otherwise also what other arguments of a psi left where the definition's guard
  // was false.
  bool is_own_value = true;
  uint32_t first_place = 0;
  uint32_t num_places = 0;
};

struct Definition {
  BlockId block;
  uint32_t position = 0;
  Guard guard;
  bool writes = false;  // not of a phi or psi
};

class LiveRanges {
 public:
  enum class Cut : uint8_t { AtTiles, Nowhere };

  // Of the registers r with wanted[r], in reachable blocks.
  LiveRanges(const Function& function, Analyses& analyses, const Copies& copies, Conditions& conditions,
             std::vector<uint8_t> wanted, Cut cut = Cut::AtTiles);

  // One for each condition under which the register is read; one if it is never read.
  std::span<const LiveRange> of(Reg r) const {
    return std::span(ranges_).subspan(start_[r.index()], start_[r.index() + 1] - start_[r.index()]);
  }
  std::span<const LiveRange> all() const { return ranges_; }
  // In order.
  std::span<const Place> places(const LiveRange& range) const {
    return std::span(places_).subspan(range.first_place, range.num_places);
  }
  std::span<const Place> all_places() const { return places_; }
  const Definition& definition(Reg r) const { return definitions_[r.index()]; }
  // Registers with equal numbers hold equal values wherever both are defined.
  uint64_t value(Reg r) const { return values_[r.index()]; }
  static uint64_t value_of(Operand literal) { return uint64_t{1} << 32 | literal.raw(); }
  void set_value(Reg r, uint64_t value) { values_[r.index()] = value; }
  // The places where a value is that is defined at one point and read at another, which it dominates. False
  // if these are in more than `max_blocks`.
  bool find_places(BlockId from, uint32_t position, BlockId to, uint32_t read_position, size_t max_blocks,
                   std::vector<Place>& places) const;
  // The blocks in the order of their positions.
  std::span<const BlockId> blocks() const { return order_.reverse_post_order(); }
  uint32_t head_position(BlockId b) const { return heads_[order_.number(b)]; }
  // Where a copy at the end of the block is.
  uint32_t end_position(BlockId b) const;
  uint32_t num_regs() const { return static_cast<uint32_t>(definitions_.size()); }
  uint32_t num_tiles() const { return tile_of(heads_.back()) + 1; }
  size_t memory() const;
  // While it was made.
  size_t peak_memory() const { return peak_memory_; }

 private:
  struct Read {
    uint32_t condition;
    bool is_own_value;
    BlockId block;
    uint32_t position;
  };

  // Calls visit(InstId, position) for each instruction of the block; copies that happen together share one.
  template <class Visit>
  void for_each_position(BlockId b, Visit visit) const {
    uint32_t position = head_position(b), shared = position;
    Together last = Together::No;
    for (InstId id : function_.insts(b)) {
      ++position;
      Together together = copies_.together(id);
      if (together == Together::No || together != last) shared = position;
      last = together;
      visit(id, shared);
    }
  }
  void find_definitions();
  void find_value(const Inst& mov);
  void find_values_of_phis();
  void find_outer_psis();
  void count_reads();
  void collect_reads();
  void collect_psi_reads(BlockId b, uint32_t position, const Inst& psi);
  const Definition* first_definition(Operand value) const;
  void read(Operand operand, BlockId b, uint32_t position, Guard guard);
  void add_read(Reg r, const Read& read) { reads_[first_read_[r.index() + 1]++] = read; }
  Guard lasting(Guard guard, const Definition& definition) const;
  bool comes_before(const Definition& a, const Definition& b) const;
  void find_ranges();
  bool explore(const Definition& definition, std::span<const Read> reads, std::vector<Place>& places,
               size_t max_blocks = SIZE_MAX) const;
  void sort_seen() const;
  void add_places(uint32_t start, uint32_t end, std::vector<Place>& places) const;

  const Function& function_;
  Analyses& analyses_;
  const Cfg& cfg_;
  const Order& order_;
  const Dominators& dominators_;
  const Copies& copies_;
  Conditions& conditions_;
  std::vector<uint8_t> wanted_;  // by Reg
  Cut cut_;
  std::vector<uint32_t> heads_;          // by number of the block, and one more
  std::vector<Definition> definitions_;  // by Reg
  std::vector<uint64_t> values_;         // by Reg
  std::vector<Reg> first_of_psi_;     // by Reg, in functions with psis: what defines a psi's first argument
  std::vector<Term> left_of_psi_;     // likewise: where arguments of others to the left of a psi have values
  std::vector<Read> reads_;           // while ranges are found: those of each register together
  std::vector<uint32_t> first_read_;  // by Reg, and one more
  std::vector<uint32_t> start_;       // by Reg, and one more
  std::vector<LiveRange> ranges_;
  std::vector<Place> places_;
  size_t peak_memory_ = 0;
  // While exploring: blocks by number, and where the value is last read in each, 0 in those not seen.
  mutable std::vector<uint32_t> last_read_;
  mutable std::vector<uint32_t> seen_;
};

}  // namespace psi::destruction
