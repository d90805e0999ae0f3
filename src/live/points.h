// Points of a function in the order of execution, also of instructions that are still to be inserted.
#pragma once

#include <cstdint>
#include <vector>

#include "psi/analysis/dominators.h"
#include "psi/analysis/uses.h"
#include "psi/ir/function.h"
#include "psi/pass/analyses.h"

namespace psi::live {

// An instruction, or a gap between two, in which new ones are ordered by their sequence.
struct Point {
  BlockId block;
  uint32_t index = 0;     // 2k: the gap above instruction k; 2k + 1: that instruction
  uint32_t sequence = 0;  // of what is inserted

  uint64_t key() const { return uint64_t{index} << 32 | sequence; }
  bool is_gap() const { return index % 2 == 0; }
  bool operator==(const Point&) const = default;
};

// The points of a function in SSA form. Blocks stay as they are until all insertions take effect at once.
class Points {
 public:
  Points(Function& function, Analyses& analyses)
      : function_(function), dominators_(analyses.get<Dominators>()), uses_(analyses.get<Uses>()) {}

  Point of(InstId id) const { return {uses_.block(id), 2 * uses_.position(id) + 1}; }
  // Parameters are defined above all else.
  Point of_definition(Reg r) const {
    InstId id = uses_.definition(r);
    return id ? of(id) : Point{function_.entry()};
  }
  // Does every path to b lead through a, another point?
  bool is_above(Point a, Point b) const {
    if (a.block == b.block) return a.key() < b.key();
    return dominators_.strictly_dominates(a.block, b.block);
  }
  // Of two points above a third, the one below the other.
  Point lower(Point a, Point b) const { return is_above(a, b) ? b : a; }

  // The gap right above an instruction, and right below a point; no gap is among the phis of a block.
  Point gap_above(InstId id) const { return {uses_.block(id), 2 * uses_.position(id)}; }
  Point gap_below(Point point) const;

  // A new point in a gap, below those made before, or above them; and one that comes with it, just above.
  Point add(Point gap) { return {gap.block, gap.index, last_ += 2}; }
  Point add_on_top(Point gap) { return {gap.block, gap.index, first_ -= 2}; }
  static Point just_above(Point added) { return {added.block, added.index, added.sequence - 1}; }
  void insert(Point at, InstId inst);
  void apply();

 private:
  struct Insertion {
    Point at;
    InstId inst;
  };

  Function& function_;
  const Dominators& dominators_;
  const Uses& uses_;
  std::vector<Insertion> insertions_;
  uint32_t first_ = 1u << 31;  // sequences given out
  uint32_t last_ = 1u << 31;
};

// New instructions, which no block lists yet.
InstId make_copy(Function& function, Operand source, Guard guard, Reg result);
InstId make_freeze(Function& function, Reg source, Reg result);
// A register of the same type and name, which the text tells from others by number.
Reg like(Function& function, Reg r);

}  // namespace psi::live
