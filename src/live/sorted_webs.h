// Webs in the order of a walk over the dominator tree, and which of them interfere.
//
//     web of a:   a1 ------ a2 ------------ a3         (top to bottom: definitions that dominate
//     web of b:                   b1                    one another)
//
// After Boissinot et al. 2009, section IV. A register can only be live where another is defined if its own
// definition dominates that one, and then it is live at all definitions between the two. So of the members
// of a that may be live at b1 the lowest is the one just above, and each of the others is live at the one
// below it: from every member a link leads to the lowest one above that is live there. Nor need b1 be looked
// for below a member of a where it is not live.
//
// The paper walks both lists once for each copy, which is quadratic where one web absorbs all others. Here a
// web is a search tree, and only members of the smaller one are visited, each with its neighbours in the
// larger one.
//
// As in the paper a phi counts as a definition, with a value of its own, and if a web is free of interference
// and two of its members are live together, they have the same value. With guards that does not hold: they
// may be live together under disjoint conditions, and phis write nothing (segment_interference.h).
#pragma once

#include <cstdint>
#include <unordered_set>
#include <utility>
#include <vector>

#include "live/segment_interference.h"
#include "live/web_tree.h"
#include "psi/analysis/dominators.h"
#include "psi/live/webs.h"

namespace psi::live {

class SortedWebs {
 public:
  // Of the registers that `segments` knows. Registers of one web must not interfere.
  SortedWebs(SegmentInterference& segments, const Dominators& dominators, bool guards, bool values,
             Webs& webs);

  // Of two different webs. Near-linear in the size of the smaller one and in how many members of the two are
  // live together.
  bool interfere(Reg a, Reg b);
  // The two that were asked about last, if they do not interfere.
  void unite(Reg a, Reg b);
  size_t memory() const;

 private:
  static constexpr uint32_t kNone = WebTree::kNone;
  enum class Relation : uint8_t { NotLiveTogether, LiveTogether, Interfering };

  void number(const Dominators& dominators);
  uint32_t segment(const LiveRange& range, uint32_t position) const;
  Relation relation(uint32_t lower, uint32_t upper);
  bool same_value(Reg a, Reg b) const { return values_ && ranges_.value(a) == ranges_.value(b); }
  bool interferes_above(uint32_t root, uint32_t member);
  bool interferes_below(uint32_t root, uint32_t member);
  uint32_t& root(Reg r) { return roots_[webs_.find(r).index()]; }
  uint64_t key(Reg a, Reg b) const;

  SegmentInterference& segments_;
  const LiveRanges& ranges_;
  bool guards_;
  bool values_;
  Webs& webs_;
  std::vector<Reg> regs_;             // of the members, in the order of the walk
  std::vector<uint32_t> live_above_;  // by member: the lowest above in its web that is live there
  WebTree tree_;
  std::vector<uint32_t> roots_;  // by representative
  // Pairs of representatives. Webs that interfere still do when they grow.
  std::unordered_set<uint64_t> interfering_;
  // Of the two that were asked about last: the members of the smaller one, and which are live together.
  std::vector<uint32_t> small_;
  std::vector<std::pair<uint32_t, uint32_t>> links_;
};

}  // namespace psi::live
