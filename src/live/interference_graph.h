// Liveness at the places of copies for phis, and interference.
//
// Sets of live registers in bit vectors, for each block at its head, phis included, and at its end, above its
// terminators: the terminators' operands are live there. And a graph with an edge between two registers if
// one is written where the other is live, unless their conditions are disjoint; equal values are ignored.
// Here a phi counts as a write at the head of its block, as in the papers: webs are built phi by phi, so the
// definitions of its arguments may still be in other webs.
//
// Memory: two bits for each block and register, 16 bytes for each edge.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "live/segment_interference.h"
#include "psi/ir/function.h"
#include "psi/live/webs.h"
#include "psi/support/bit_matrix.h"

namespace psi::live {

class InterferenceGraph {
 public:
  // Of the registers that have live ranges, among them those of phis and of webs. Refers to the webs
  // afterwards.
  InterferenceGraph(const Function& function, SegmentInterference& segments, Webs& webs);

  bool is_live_at_head(BlockId b, Reg r) const { return is_live(head_, Where::Head, b, r); }
  bool is_live_at_end(BlockId b, Reg r) const { return is_live(end_, Where::End, b, r); }
  // Is it live there other than by the block's own definition?
  bool is_live_in(BlockId b, Reg r) const { return is_live_at_head(b, r) && block_of_[number(r)] != b; }
  void remove_at_head(BlockId b, Reg r) { head_.reset(b.index(), number(r)); }
  void remove_at_end(BlockId b, Reg r) { end_.reset(b.index(), number(r)); }

  // New registers of copies, live only there and interfering with the others live there.
  void add_at_head(BlockId b, Reg r) { add(head_, Where::Head, b, r); }
  void add_at_end(BlockId b, Reg r) { add(end_, Where::End, b, r); }

  // Calls visit(Reg, Reg) for each edge from a register of the web to another.
  template <class Visit>
  void for_each_edge(Reg web, Visit visit) const {
    webs_.for_each_member(web, [&](Reg r) {
      for (uint32_t e = first_edge_[number(r)]; e != kNone; e = edges_[e].next) visit(r, regs_[edges_[e].to]);
    });
  }
  // The number of these edges.
  uint32_t degree(Reg web) const { return degree_[number(webs_.find(web))]; }
  void unite(Reg a, Reg b);

  // Peak memory, including the sources.
  size_t peak_memory() const { return std::max(memory_at_first_, memory()); }

 private:
  static constexpr uint32_t kNone = UINT32_MAX;
  enum class Where : uint8_t { Head, End };
  struct Edge {
    uint32_t to;
    uint32_t next;
  };
  // A new register.
  struct Local {
    BlockId block;
    Where where;
    uint32_t previous;  // at the same place
  };

  uint32_t number(Reg r) const { return numbers_[r.index()]; }
  void number_registers(const LiveRanges& ranges);
  void collect_live(const LiveRanges& ranges);
  void connect_writes(SegmentInterference& segments);
  void connect_phis(const Function& function);
  void connect(uint32_t a, uint32_t b);
  bool is_live(const BitMatrix& live, Where where, BlockId b, Reg r) const;
  void add(const BitMatrix& live, Where where, BlockId b, Reg r);
  size_t memory() const;

  Webs& webs_;
  std::vector<uint32_t> numbers_;  // by Reg: those in the graph are numbered from 0 on
  std::vector<Reg> regs_;          // by number
  std::vector<BlockId> block_of_;  // by number: where it is defined
  std::vector<uint32_t> first_edge_;
  std::vector<uint32_t> degree_;  // by the number of a representative
  std::vector<Edge> edges_;
  uint32_t num_blocks_;
  size_t memory_at_first_ = 0;
  uint32_t num_columns_ = 0;  // registers numbered below have a column in the sets
  BitMatrix head_;
  BitMatrix end_;
  std::vector<Local> locals_;                   // the others
  std::vector<uint32_t> last_head_, last_end_;  // by BlockId: the last of the locals there
};

}  // namespace psi::live
