// The control flow graph of a function: successors and predecessors, each in one flat array.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "psi/ir/function.h"
#include "psi/pass/analyses.h"

namespace psi {

// An edge between blocks: its source, and the index among all targets of the source's terminators. Two edges
// may connect the same two blocks.
struct Edge {
  BlockId from;
  uint32_t index = 0;
  bool operator==(const Edge&) const = default;
};

class Cfg {
 public:
  // Every block of the layout must end in its terminators, whose targets are blocks of the layout. Blocks
  // outside the layout have no edges. Linear.
  explicit Cfg(const Function& function);
  static constexpr Keeps kHoldsWith = Keeps::ControlFlow;
  Cfg(const Function& function, Analyses&) : Cfg(function) {}

  BlockId entry() const { return entry_; }
  uint32_t num_blocks() const { return static_cast<uint32_t>(starts_.size()) - 1; }
  uint32_t num_edges() const { return static_cast<uint32_t>(successors_.size()); }

  // One entry for each edge, in the order of the terminators' targets.
  std::span<const BlockId> successors(BlockId b) const { return slice(successors_, b, &Starts::successors); }
  // One entry for each edge, in the layout order of the predecessors, so that the edges from one block are
  // adjacent.
  std::span<const BlockId> predecessors(BlockId b) const {
    return slice(predecessors_, b, &Starts::predecessors);
  }
  // The edge from the predecessor at `position`.
  Edge incoming(BlockId b, uint32_t position) const {
    uint32_t at = starts_[b.index()].predecessors + position;
    return {predecessors_[at], predecessor_edge_[at]};
  }
  BlockId target(Edge edge) const { return successors_[number(edge)]; }
  // Edges numbered from 0 to num_edges() - 1, for arrays of facts about them.
  uint32_t number(Edge edge) const { return starts_[edge.from.index()].successors + edge.index; }

  // Calls visit(BlockId) once for each predecessor, however many edges come from it.
  template <class Visit>
  void for_each_distinct_predecessor(BlockId b, Visit visit) const {
    BlockId last;
    for (BlockId p : predecessors(b)) {
      if (p != last) visit(p);
      last = p;
    }
  }
  uint32_t num_distinct_predecessors(BlockId b) const {
    uint32_t count = 0;
    for_each_distinct_predecessor(b, [&](BlockId) { ++count; });
    return count;
  }

  bool operator==(const Cfg&) const = default;

 private:
  struct Starts {
    uint32_t successors = 0;
    uint32_t predecessors = 0;
    bool operator==(const Starts&) const = default;
  };

  std::span<const BlockId> slice(const std::vector<BlockId>& all, BlockId b, uint32_t Starts::* start) const {
    uint32_t first = starts_[b.index()].*start;
    return std::span(all).subspan(first, starts_[b.index() + 1].*start - first);
  }

  BlockId entry_;
  std::vector<Starts> starts_;  // by BlockId, and one more
  std::vector<BlockId> successors_;
  std::vector<BlockId> predecessors_;
  std::vector<uint32_t> predecessor_edge_;  // the successor index, parallel to predecessors_
};

}  // namespace psi
