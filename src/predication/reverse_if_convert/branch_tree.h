// The instructions of one block as structured code: instructions under a predicate are in an arm of a branch
// on it.
//
//     p ? a = ..              branch on p
//     x = ..                    then: a, b, branch on q
//     !p ? c = ..                                then: d
//     p ? b = ..       ==>      else: c
//     q ? d = ..              x
//
// Instructions are placed one after the other. Each moves up to others under the same guard, if it may pass
// the instructions in between.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "psi/predicate/guard_facts.h"
#include "psi/ir/function.h"

namespace psi::predication {

class BranchTree {
 public:
  static constexpr uint32_t kNone = UINT32_MAX;

  // An instruction, or a branch if `inst` is none.
  struct Item {
    InstId inst;
    uint32_t previous = kNone, next = kNone;  // in its sequence
    // Of a branch: the register it reads, which holds the term or, if flipped, its complement.
    Reg predicate = {};
    bool is_flipped = false;
    Term term = {};                                 // not negated
    std::array<uint32_t, 2> arms = {kNone, kNone};  // sequences: where the term is true, where it is false
    bool has_exits = false;                         // terminators in its arms
  };
  struct Sequence {
    uint32_t first = kNone, last = kNone;
    // What is known to be true in the sequence: the term of its branch, and consequences.
    std::array<Term, 3> known;
    uint32_t owner = kNone;    // the sequence that holds its branch
    uint32_t branch = kNone;   // its branch
    bool always_ends = false;  // with a terminator: nothing comes behind
  };
  // How an instruction was placed.
  enum class Outcome : uint8_t {
    Appended,  // to the end of a sequence
    Moved,     // moved up to others under its guard
    Opened,    // a new branch
    Dropped,   // it is never executed
  };

  explicit BranchTree(const Function& function) : function_(function) {}

  // Of another block, with these facts about it.
  void begin_block(GuardFacts& facts);
  // `guard`: the guard of the instruction. Visits a limited number of others.
  Outcome place(InstId id, Term guard);

  const Sequence& root() const { return sequences_[0]; }
  const Sequence& sequence(uint32_t s) const { return sequences_[s]; }
  const Item& item(uint32_t i) const { return items_[i]; }

 private:
  // The two terms whose conjunction this one is.
  std::optional<std::pair<Term, Term>> conjunction(Term term) const;
  bool is_implied(Term guard, uint32_t s) const;
  std::array<Term, 3> implied_by(Term guard, uint32_t s) const;
  bool holds(Term guard, uint32_t s) const;
  bool may_pass_branch(InstId id, uint32_t branch);
  uint32_t arm_within(Term guard, uint32_t branch) const;
  // The position for an instruction that is executed whenever the sequence is; and the branch with an arm for
  // one that is not, or none.
  uint32_t place_behind(InstId id, uint32_t s);
  uint32_t branch_for(InstId id, Term guard, uint32_t s);
  uint32_t open_branch(InstId id, Term guard, uint32_t s);
  void insert_behind(uint32_t s, uint32_t previous, const Item& item);
  void add_terminator(uint32_t s);

  const Function& function_;
  GuardFacts* facts_ = nullptr;
  std::vector<Item> items_;
  std::vector<Sequence> sequences_;
  std::vector<uint32_t> pending_;
  uint32_t steps_left_ = 0;
};

}  // namespace psi::predication
