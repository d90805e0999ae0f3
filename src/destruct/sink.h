// Sinking of definitions, to remove interference.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "destruct/copies.h"
#include "psi/ir/function.h"
#include "psi/pass/analyses.h"

namespace psi::destruct {

//     @loop: i = phi [@entry: 0], [@loop: j]         @loop: i = phi [@entry: 0], [@loop: j]
//            j = add i, 1                       ==>         call $f(i)
//            call $f(i)                                     j = add i, 1
//            br p, @loop, @exit                             br p, @loop, @exit
//
// On the left i is read below the definition of j, so that they cannot be one register. A pure, unguarded
// instruction may move to just above its first reader, if that is executed no more often.
class Sinking {
 public:
  Sinking(Function& function, Analyses& analyses, const Copies& copies)
      : function_(function), analyses_(analyses), copies_(copies) {}

  // Sinks the definitions of these registers as far as possible. Returns how many moved; the analyses are
  // then no longer valid.
  uint32_t sink(std::span<const Reg> regs);
  // Would it move this one?
  bool can_sink(Reg r) const;
  // Undoes the moves since the last keep().
  void undo();
  void keep() { old_.clear(); }

 private:
  struct Point {
    BlockId block;
    uint32_t position = 0;
    auto operator<=>(const Point&) const = default;
  };
  struct Move {
    Point to;
    InstId inst;
  };

  bool may_move(InstId id) const;
  bool is_below(InstId id, Point point) const;
  Point last_point(InstId id) const;
  Point meet(Point a, Point b) const;
  uint32_t top_of_group(BlockId b, uint32_t position) const;
  void apply(std::vector<Move>& moves);

  Function& function_;
  Analyses& analyses_;
  const Copies& copies_;
  std::vector<std::pair<BlockId, std::vector<InstId>>> old_;  // the lists of blocks that changed
};

}  // namespace psi::destruct
