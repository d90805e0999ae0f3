// Where guards are certainly defined.
#pragma once

#include <optional>
#include <unordered_map>
#include <vector>

#include "live/points.h"
#include "psi/analysis/dominators.h"
#include "psi/analysis/uses.h"
#include "psi/ir/function.h"
#include "psi/pass/analyses.h"

namespace psi::live {

// Reading an undef guard is undefined behaviour, so a guard that an instruction or branch has read is defined
// from there on. A psi may not read all of its guards, so it proves nothing.
class GuardReads {
 public:
  GuardReads(const Function& function, Analyses& analyses, const Points& points)
      : function_(function),
        dominators_(analyses.get<Dominators>()),
        uses_(analyses.get<Uses>()),
        points_(points) {}

  bool is_read_above(Reg predicate, Point point) { return find(predicate, point).has_value(); }
  // Is it defined, or computed from predicates that are?
  bool is_sure(Reg predicate, Point point);
  // The highest gap, from `gap` down to `end`, in which it is sure; nothing if there is none.
  std::optional<Point> first_gap(Reg predicate, Point gap, Point end);

 private:
  // The most predicates that are considered for one.
  static constexpr size_t kMaxOperands = 8;

  std::optional<Point> find(Reg predicate, Point point);
  bool is_other_side_read(const Inst& cmpp, Point point);
  const std::vector<Point>& reads(Reg predicate);
  bool is_executed(const Use& use) const;
  bool is_earlier(Point a, Point b) const;

  const Function& function_;
  const Dominators& dominators_;
  const Uses& uses_;
  const Points& points_;
  // None of them above another, in preorder of the dominator tree.
  std::unordered_map<Reg, std::vector<Point>> reads_;
  std::vector<Reg> operands_;
};

}  // namespace psi::live
