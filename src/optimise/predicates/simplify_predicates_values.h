// Finds predicates that equal others, their complements, or literals.
//
//     %p = cmp.lt.i32 %a, %b
//     %q = cmp.gt.i32 %b, %a          p
//     %r = cmp.ge.i32 %a, %b          !p
//     %z = zext.i1.i32 %r
//     %s = cmp.eq.i32 %z, 0           p
//     %t = and.i1 %q, %r              false
//
// A predicate may replace another if its domain contains the other's guard: it is then computed, from the
// same values, wherever the other one is.
#pragma once

#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

#include "psi/analysis/defined.h"
#include "psi/analysis/uses.h"
#include "psi/pass/analyses.h"
#include "psi/predicate/guard_facts.h"

namespace psi::optimise {

class PredicateValues {
 public:
  PredicateValues(Function& function, Analyses& analyses, GuardFacts& guards);

  // To be called for all instructions that define predicates, blocks in preorder of the dominator tree.
  void visit(BlockId b, InstId id, uint32_t calls);
  // What the predicate is: a register or its complement, or a literal; itself if nothing better is known.
  Operand value(Operand predicate) const;
  bool is_replaced(Reg r) const { return !values_[r.index()].is_none(); }
  void set(Reg r, Operand value) { values_[r.index()] = value; }

 private:
  // A comparison in the form that all equal ones have.
  struct Comparison {
    Type type;
    Cond cond;
    bool complement;  // it is the complement of the form
    Operand left;
    Operand right;
    Operand input;
    bool operator==(const Comparison&) const = default;
  };
  struct Hash {
    size_t operator()(const Comparison& c) const;
  };
  struct Found {
    Operand predicate;
    BlockId block;
    uint32_t previous;  // with the same comparison, in found_
  };

  Operand computed(InstId id, Place place);
  Operand computed_by_logic(const Inst& inst, Place place);
  Operand implied(const Inst& inst, Operand kept, Operand other, Place place);
  bool is_undefined_with(Operand kept, Operand other) const;
  Operand compared(const Inst& inst);
  // The predicate that decides between two literals, and these: the value if it is false, and if it is true.
  struct TwoValues {
    Operand predicate;
    uint64_t values[2];
  };
  std::optional<TwoValues> two_values(Operand operand) const;
  Operand from_truth(Operand predicate, bool if_false, bool if_true);

  Comparison comparison(const Inst& inst);
  void number_targets(BlockId b, InstId id);
  void number(BlockId b, InstId id, Reg target, Comparison comparison);

  Function& function_;
  Analyses& analyses_;
  const Uses& uses_;
  GuardFacts& guards_;
  std::optional<Defined> defined_;  // when first asked for
  std::vector<Operand> values_;     // by Reg; none: itself
  std::vector<Found> found_;
  std::unordered_map<Comparison, uint32_t, Hash> newest_;  // in found_
};

}  // namespace psi::optimise
