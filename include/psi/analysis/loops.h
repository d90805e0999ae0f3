// The loop nest of a function, for any control flow graph.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "psi/analysis/cfg.h"
#include "psi/analysis/order.h"
#include "psi/pass/analyses.h"
#include "psi/support/id.h"

namespace psi {

using LoopId = Id<struct LoopTag>;

// A loop is a maximal strongly connected set of blocks with at least one edge inside. Its header is the entry
// that the depth-first search from the entry block meets first; its inner loops are the loops of its blocks
// without the header. A loop with one entry is reducible: its header dominates it. Unreachable blocks are in
// no loop.
//
// Loops are numbered from 0: a parent comes before its children, the loops inside a loop follow it, and
// siblings are in reverse post-order of their headers.
class Loops {
 public:
  // Near-linear, except that the predecessors of an entry are visited once for every loop that it enters.
  Loops(const Cfg& cfg, const Order& order);
  static constexpr Keeps kHoldsWith = Keeps::ControlFlow;
  Loops(const Function&, Analyses& analyses) : Loops(analyses.get<Cfg>(), analyses.get<Order>()) {}

  uint32_t num_loops() const { return static_cast<uint32_t>(loops_.size()); }

  // --- A block --------------------------------------------------------------------------------------
  // The innermost loop around it, or none. A header's is the loop that it heads.
  LoopId of(BlockId b) const { return innermost_[b.index()]; }
  // How many loops are around it.
  uint32_t depth(BlockId b) const { return of(b) ? depth(of(b)) : 0; }
  bool is_header(BlockId b) const { return of(b) && header(of(b)) == b; }
  // Is an edge between these two a back edge: to the header of a loop that it does not leave?
  bool is_back_edge(BlockId from, BlockId to) const { return is_header(to) && contains(of(to), from); }

  // --- A loop ---------------------------------------------------------------------------------------
  BlockId header(LoopId loop) const { return blocks_[at(loop).first_block]; }
  // The blocks that an edge from outside leads to, header first, the others in reverse post-order.
  std::span<const BlockId> entries(LoopId loop) const {
    return std::span(entries_).subspan(at(loop).first_entry, at(loop).num_entries);
  }
  bool is_reducible(LoopId loop) const { return at(loop).num_entries == 1; }
  // The loop around it, or none.
  LoopId parent(LoopId loop) const { return at(loop).parent; }
  // 1 for an outermost loop.
  uint32_t depth(LoopId loop) const { return at(loop).depth; }
  std::span<const LoopId> children(LoopId loop) const {
    return std::span(children_).subspan(at(loop).first_child, at(loop).num_children);
  }
  // All blocks: the header, the others that are in no inner loop in reverse post-order, then those of each
  // child in turn.
  std::span<const BlockId> blocks(LoopId loop) const {
    return std::span(blocks_).subspan(at(loop).first_block, at(loop).num_blocks);
  }
  // In constant time.
  bool contains(LoopId loop, BlockId b) const {
    return of(b) && position_[b.index()] - at(loop).first_block < at(loop).num_blocks;
  }
  bool contains(LoopId outer, LoopId inner) const {
    return inner.index() - outer.index() < at(outer).subtree_size;
  }

  // --- All ------------------------------------------------------------------------------------------
  // The loops that are inside no other.
  std::span<const LoopId> outermost() const {
    return std::span(children_).subspan(children_.size() - num_outermost_);
  }
  // Is every loop?
  bool is_reducible() const { return entries_.size() == loops_.size(); }

  bool operator==(const Loops&) const = default;

 private:
  struct Loop {
    LoopId parent;
    uint32_t depth = 0;
    uint32_t first_block = 0;
    uint32_t num_blocks = 0;
    uint32_t first_entry = 0;
    uint32_t num_entries = 0;
    uint32_t first_child = 0;
    uint32_t num_children = 0;
    uint32_t subtree_size = 0;  // itself and the loops inside it
    bool operator==(const Loop&) const = default;
  };
  const Loop& at(LoopId loop) const { return loops_[loop.index()]; }

  struct Nest;
  class Finder;
  void number_loops(Nest& nest, const Order& order);
  void list_children();
  void list_blocks(const Nest& nest, const Order& order);
  void list_entries(Nest& nest, const Order& order);

  std::vector<Loop> loops_;         // by LoopId
  std::vector<LoopId> innermost_;   // by BlockId
  std::vector<uint32_t> position_;  // by BlockId: where in blocks_
  std::vector<BlockId> blocks_;
  std::vector<BlockId> entries_;
  std::vector<LoopId> children_;  // the outermost loops last
  uint32_t num_outermost_ = 0;
};

}  // namespace psi
