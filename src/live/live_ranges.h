// Live ranges: where registers hold values that are still to be read, and under which conditions.
//
// A normalized psi reads its last argument where it stands, and each of the others where the next one is
// defined, or, if that is a psi, the first of those it joins: up to there the register of the web keeps the
// value (de Ferriere 2007, section 4.4). It does not read its guards: the definitions have. A phi reads its
// arguments at the end of the predecessors. Neither writes anything: the definitions of the arguments have.
// This holds if each web of phis and psis is to become one register. Where every register stands for itself,
// a phi writes its result at the head of its block; a psi, which need not be normalized, reads its guards and
// the argument that it takes, and writes its result where it takes one.
//
// A value is needed only where something that reads it is executed and needed itself: the arguments of a psi
// where its result is, what a pure instruction reads likewise, what a cmpp compares where its input is true,
// an arm of a select where it is taken. Where it is not needed, a register may hold anything. Copies
// need their operands always: two registers have the same value wherever one is a copy of the other.
//
// All instructions are numbered, block after block in reverse post-order, so that a live range is a few
// segments. Segments are split at chunk boundaries, every kChunkSize positions, for users that ask what else
// is live: two registers can be live together, or one be written where the other is live, only in a chunk in
// which both have segments.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "live/guard_union.h"
#include "live/parallel_copies.h"
#include "live/range_conditions.h"
#include "psi/analysis/cfg.h"
#include "psi/analysis/dominators.h"
#include "psi/analysis/loops.h"
#include "psi/analysis/order.h"
#include "psi/ir/function.h"
#include "psi/ir/views.h"
#include "psi/pass/analyses.h"

namespace psi::live {

// Each block has a position for its head, where phis and parameters are defined, then one for each
// instruction; parallel copies share one. Phis read their arguments at the position of the next block's head.
inline constexpr uint32_t kChunkSize = 64;
constexpr uint32_t chunk_of(uint32_t position) { return position / kChunkSize; }

// A segment, or its part in one chunk: live after every position from `start` on and before `end`.
struct Segment {
  uint32_t start;  // the definition, the head of a block, or the start of the chunk
  uint32_t end;    // the last reader, the next block's head, or the start of the next chunk
  uint32_t chunk() const { return chunk_of(start); }
  bool is_live_after(uint32_t position) const { return start <= position && position < end; }
};

struct LiveRange {
  Reg reg;
  uint32_t condition = RangeConditions::kAlways;
  // The register's own value; otherwise also the values of other psi arguments where the definition's guard
  // is false.
  bool is_own_value = true;
  uint32_t first_segment = 0;
  uint32_t num_segments = 0;
};

struct Definition {
  BlockId block;
  uint32_t position = 0;
  Guard guard;
  bool writes = false;  // not of a phi or psi of a web
  InstId psi = {};      // that writes where it takes an argument; none: written where the guard holds
};

class LiveRanges {
 public:
  enum class Split : uint8_t { AtChunks, Nowhere };
  // Do phis and psis join registers that become one, or are they instructions like others?
  enum class Merges : uint8_t { Join, Write };

  // Of the registers r with wanted[r], in reachable blocks.
  LiveRanges(const Function& function, Analyses& analyses, const ParallelCopies& copies,
             RangeConditions& conditions, std::vector<uint8_t> wanted, Split split = Split::AtChunks,
             Merges merges = Merges::Join);

  // One for each condition under which the register is read; one if it is never read.
  std::span<const LiveRange> of(Reg r) const {
    return std::span(ranges_).subspan(start_[r.index()], start_[r.index() + 1] - start_[r.index()]);
  }
  std::span<const LiveRange> all() const { return ranges_; }
  // In order.
  std::span<const Segment> segments(const LiveRange& range) const {
    return std::span(segments_).subspan(range.first_segment, range.num_segments);
  }
  std::span<const Segment> all_segments() const { return segments_; }
  const Definition& definition(Reg r) const { return definitions_[r.index()]; }
  // Registers with equal numbers hold equal values wherever both are defined.
  uint64_t value(Reg r) const { return values_[r.index()]; }
  static uint64_t value_of(Operand literal) { return uint64_t{1} << 32 | literal.raw(); }
  void set_value(Reg r, uint64_t value) { values_[r.index()] = value; }
  // The segments of a value that is defined at one point and read at another, which it dominates. False if
  // they span more than `max_blocks`.
  bool find_segments(BlockId from, uint32_t position, BlockId to, uint32_t read_position, size_t max_blocks,
                     std::vector<Segment>& segments) const;
  // The blocks in the order of their positions.
  std::span<const BlockId> blocks() const { return order_.reverse_post_order(); }
  uint32_t head_position(BlockId b) const { return heads_[order_.number(b)]; }
  // Where a copy at the end of the block is.
  uint32_t end_position(BlockId b) const;
  // A condition that is known only where a value is read says something of a write on the way there only if
  // what guards the write is still the same then.
  bool is_same_iteration(const Definition& a, const Definition& b) const {
    return a.block == b.block || analyses_.get<Loops>().of(a.block) == analyses_.get<Loops>().of(b.block);
  }
  uint32_t num_regs() const { return static_cast<uint32_t>(definitions_.size()); }
  uint32_t num_chunks() const { return chunk_of(heads_.back()) + 1; }
  // Of the function: calls test(Guard) for each guard under which a definition writes; do all pass?
  template <class Test>
  bool all_guards(const Definition& definition, Test test) const {
    if (!definition.psi) return test(definition.guard);
    for (auto [guard, value] : psi_arguments(function_, definition.psi)) {
      if (!test(Guard(guard))) return false;
    }
    return true;
  }
  size_t memory() const;
  // While it was made.
  size_t peak_memory() const { return peak_memory_; }

 private:
  // Where the registers of a psi carry arguments of others to its left: anywhere, and where these are needed.
  struct Left {
    Term all = Term::never();
    Term needed = Term::never();
  };

  // So many guards further right than the next one are looked at for an argument of a psi.
  static constexpr size_t kMaxLater = 8;

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
  void find_needs();
  void find_needs_of_psi(const Inst& psi);
  void find_left_of_arguments(const Inst& psi);
  // Calls visit(Operand, Guard, Guard) for each operand but the guard of an instruction that is no phi and no
  // psi: it is read where both hold.
  template <class Visit>
  void for_each_read(const Inst& inst, Visit visit) const {
    std::span<const Operand> operands = function_.operands(inst);
    bool is_choice = inst.op == Opcode::Cmpp || inst.op == Opcode::Select;
    if (!is_choice || !conditions_.aware()) {
      for (Operand operand : operands) visit(operand, inst.guard, Guard());
      return;
    }
    for (size_t i = 0; i < operands.size(); ++i) {
      Guard chosen = choice(inst, operands, i);
      bool is_only = inst.guard.is_always();
      visit(operands[i], is_only ? chosen : inst.guard, is_only ? Guard() : chosen);
    }
  }
  Guard choice(const Inst& inst, std::span<const Operand> operands, size_t i) const;
  bool is_sure_input(Operand input) const;
  bool is_inherited(const Definition& from, const Definition& to) const;
  void need(Operand operand, Guard guard, Guard further, Term where, const Definition& where_at);
  // Where the result of an instruction is needed.
  Term needed(const Inst& inst) const {
    bool is_known = !needed_.empty() && inst.results[0] && passes_on(inst);
    return is_known ? needed_[inst.results[0].index()].term() : Term::always();
  }
  static bool passes_on(const Inst& inst);
  void count_reads();
  void collect_reads();
  void collect_psi_reads(BlockId b, uint32_t position, const Inst& psi);
  void collect_reads_of_web(BlockId b, uint32_t position, const Inst& psi);
  const Definition* first_definition(Operand value) const;
  void read(Operand operand, BlockId b, uint32_t position, Guard guard, Guard further = {},
            Term needed = Term::always());
  void add_read(Reg r, const Read& read) { reads_[first_read_[r.index() + 1]++] = read; }
  Guard lasting(Guard guard, const Definition& definition, Known& known) const;
  bool comes_before(const Definition& a, const Definition& b) const;
  void find_ranges();
  bool explore(const Definition& definition, std::span<const Read> reads, std::vector<Segment>& segments,
               size_t max_blocks = SIZE_MAX) const;
  void sort_seen() const;
  void add_segments(uint32_t start, uint32_t end, std::vector<Segment>& segments) const;

  const Function& function_;
  Analyses& analyses_;
  const Cfg& cfg_;
  const Order& order_;
  const Dominators& dominators_;
  const ParallelCopies& copies_;
  RangeConditions& conditions_;
  std::vector<uint8_t> wanted_;  // by Reg
  Split split_;
  Merges merges_;
  std::vector<uint32_t> heads_;          // by number of the block, and one more
  std::vector<Definition> definitions_;  // by Reg
  std::vector<uint64_t> values_;         // by Reg
  std::vector<Reg> first_of_psi_;        // by Reg, if psis join: what defines a psi's first argument
  std::vector<Left> left_of_psi_;        // likewise: what the registers of a psi carry besides its arguments
  std::vector<GuardUnion> needed_;  // by Reg, if predicates are known: results of psis and pure instructions
  std::vector<Read> reads_;         // while ranges are found: those of each register together
  std::vector<uint32_t> first_read_;  // by Reg, and one more
  std::vector<uint32_t> start_;       // by Reg, and one more
  std::vector<LiveRange> ranges_;
  std::vector<Segment> segments_;
  size_t peak_memory_ = 0;
  // While exploring: blocks by number, and where the value is last read in each, 0 in those not seen.
  mutable std::vector<uint32_t> last_read_;
  mutable std::vector<uint32_t> seen_;
};

}  // namespace psi::live
