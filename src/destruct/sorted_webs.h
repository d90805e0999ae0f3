// Webs as lists in the order of a walk over the dominator tree, and which of them interfere.
//
//     web of a:   a1 ------ a2 ------------ a3         (top to bottom: definitions that dominate
//     web of b:        b1 ------- b2                    one another stand on a stack)
//
// Boissinot et al. 2009, section IV. Both lists are gone through at once. A register can only be live where
// another is defined if its own definition dominates that one, and so stands on the stack. If a web is free
// of interference and two of its members are live together, they have the same value. So it is enough to look
// at the definition just above, and from there along members of the same value, "equal ancestors".
//
// As in the paper a phi counts as a definition, with a value of its own.
//
// With guards that does not hold: members of a web may be live together because their conditions exclude each
// other. Then all of the stack is looked at, and phis write nothing (place_interference.h).
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "destruct/place_interference.h"
#include "destruct/webs.h"
#include "psi/dominators.h"

namespace psi::destruction {

class SortedWebs {
 public:
  // Of the registers that `places` knows. Registers of one web must not interfere, and without guards not be
  // live together.
  SortedWebs(PlaceInterference& places, const Dominators& dominators, bool guards, bool values, Webs& webs);

  // Of two different webs. Linear in their sizes, and with guards in the depth of the stack.
  bool interfere(Reg a, Reg b);
  // The two that were asked about last, if they do not interfere.
  void unite(Reg a, Reg b);
  size_t memory() const;

 private:
  static constexpr uint32_t kNone = UINT32_MAX;
  struct Member {
    Reg reg;
    uint32_t block;         // its number in the walk
    uint32_t last_block;    // that of the last one that it dominates
    uint32_t next = kNone;  // in the list of its web
    // The nearest above that has the same value and is live here, in the same web and in the other one.
    uint32_t equal_inside = kNone;
    uint32_t equal_outside = kNone;
  };
  struct Ancestor {
    uint32_t member;
    bool is_of_a;
  };

  void number(const Dominators& dominators);
  void sort_places();
  uint32_t place(const LiveRange& range, uint32_t tile) const;
  void find_ancestors(uint32_t member);
  bool interferes_with_ancestors(uint32_t member, bool is_of_a);
  bool interferes_with_parent(uint32_t member, bool is_of_a);
  bool interfere(uint32_t member, uint32_t ancestor);
  bool are_live_together(uint32_t member, uint32_t ancestor) const;
  bool same_value(uint32_t a, uint32_t b) const {
    return values_ && ranges_.value(members_[a].reg) == ranges_.value(members_[b].reg);
  }
  uint32_t& first(Reg r) { return first_[webs_.find(r).index()]; }

  PlaceInterference& places_;
  const LiveRanges& ranges_;
  bool guards_;
  bool values_;
  Webs& webs_;
  std::vector<Member> members_;              // in the order of the walk
  std::vector<uint32_t> first_;              // by representative
  std::vector<uint32_t> sorted_places_;      // those of each range by tile
  std::vector<Ancestor> ancestors_;          // of the member looked at
  std::array<uint32_t, 2> num_ancestors_{};  // of b, of a
};

}  // namespace psi::destruction
