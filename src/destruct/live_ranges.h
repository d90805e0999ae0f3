// Where registers hold values that are still to be read, and under which conditions.
//
// A normalized psi reads its last argument where it stands, and each of the others where the next one is
// defined, or, if that is a psi, the first of those it joins: up to there the register of the web keeps the
// value (de Ferriere 2007, section 4.4). It does not read its guards: the definitions have. A phi reads its
// arguments at the end of the predecessors. Neither writes anything: the definitions of the arguments have.
//
// Blocks are cut into tiles, so that a block of a million instructions is no special case. What is kept is
// where registers are live, in tiles, for those registers that are asked about.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "destruct/conditions.h"
#include "destruct/copies.h"
#include "psi/analyses.h"
#include "psi/function.h"

namespace psi::destruction {

// Positions count the instructions of a block from 1; copies that happen together share one. Phis and
// parameters are defined at 0, and phis read at kEnd.
inline constexpr uint32_t kEnd = UINT32_MAX;

// A stretch within one tile: live after every position from `start` on and before `end`.
struct Place {
  uint32_t tile;
  uint32_t start;  // of the definition; in other tiles that of the tile's first position
  uint32_t end;    // the last that reads it; kEnd if it is live where the tile ends
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
  uint32_t tile = 0;
  uint32_t position = 0;
  Guard guard;
  bool writes = false;  // not of a phi or psi
};

class LiveRanges {
 public:
  // Of the registers r with wanted[r], in reachable blocks.
  LiveRanges(const Function& function, Analyses& analyses, const Copies& copies, Conditions& conditions,
             std::vector<uint8_t> wanted);

  // One for each condition under which the register is read; one if it is never read.
  std::span<const LiveRange> of(Reg r) const {
    return std::span(ranges_).subspan(start_[r.index()], start_[r.index() + 1] - start_[r.index()]);
  }
  std::span<const LiveRange> all() const { return ranges_; }
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
  // if there are more than `max_places`.
  bool find_places(BlockId from, uint32_t position, BlockId to, uint32_t read_position, size_t max_places,
                   std::vector<Place>& places) const;
  // Where a copy at the end of the block is.
  uint32_t end_position(BlockId b) const;
  uint32_t tile_of(BlockId b, uint32_t position) const {
    uint32_t last = first_tile_[b.index() + 1] - 1;
    return position == kEnd ? last : first_tile_[b.index()] + position / kTileSize;
  }
  uint32_t num_regs() const { return static_cast<uint32_t>(definitions_.size()); }
  uint32_t num_tiles() const { return first_tile_.back(); }
  size_t memory() const;

 private:
  struct Read {
    Reg reg;
    uint32_t condition;
    bool is_own_value;
    BlockId block;
    uint32_t position;
  };

  void find_definitions();
  void find_outer_psis();
  void collect_reads();
  void collect_psi_reads(BlockId b, uint32_t position, const Inst& psi);
  const Definition* first_definition(Operand value) const;
  void read(Operand operand, BlockId b, uint32_t position, Guard guard);
  Guard lasting(Guard guard, const Definition& definition) const;
  bool comes_before(const Definition& a, const Definition& b) const;
  void find_ranges();
  bool explore(const Definition& definition, std::span<const Read> reads, std::vector<Place>& places,
               size_t max_places = SIZE_MAX) const;

  static constexpr uint32_t kTileSize = 64;

  const Function& function_;
  Analyses& analyses_;
  const Cfg& cfg_;
  const Dominators& dominators_;
  const Copies& copies_;
  Conditions& conditions_;
  std::vector<uint8_t> wanted_;          // by Reg
  std::vector<uint32_t> first_tile_;     // by BlockId, and one more
  std::vector<BlockId> tile_block_;      // by tile
  std::vector<Definition> definitions_;  // by Reg
  std::vector<uint64_t> values_;         // by Reg
  std::vector<Reg> first_of_psi_;  // by Reg, in functions with psis: what defines a psi's first argument
  std::vector<Term> left_of_psi_;  // likewise: where arguments of others to the left of a psi have values
  std::vector<Read> reads_;
  std::vector<uint32_t> start_;  // by Reg, and one more
  std::vector<LiveRange> ranges_;
  std::vector<Place> places_;
  // While exploring: one above the place of each tile seen.
  mutable std::vector<uint32_t> place_of_;
  mutable std::vector<uint32_t> work_;
};

}  // namespace psi::destruction
