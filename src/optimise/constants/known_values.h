// Facts about values from the branches taken, or from a true guard.
//
//     %p = cmp.eq.i32 %x, 7          on the edge to @then     %p is true, %x is 7
//     %q = and.i1 %p, %r             where %q is true         %p and %r are true, %x is 7
//     br %p, @then, @else            on the edge to @else     %p is false, %s is true
//     %s = cmp.ne.i32 %x, 7
//
// A branch or guard that is undef is undefined behaviour, so where one is true or false it was defined, and
// with it what it was computed from: the guard of its definition is true.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "psi/analysis/cfg.h"
#include "psi/ir/function.h"
#include "psi/pass/analyses.h"

namespace psi::optimise {

class KnownValues {
 public:
  // `definitions`: by Reg, none for a parameter.
  KnownValues(Function& function, std::span<const InstId> definitions)
      : function_(function), definitions_(definitions), known_(function.num_regs()) {}

  // The literal that an operand is known to be, or the operand itself. A predicate computed from known values
  // is evaluated one step.
  Operand operator()(Operand operand);
  // Nothing is known?
  bool empty() const { return set_.empty(); }

  // From here on the predicate has this value, and the register is this literal.
  void assume(Operand predicate, bool value);
  void assume_equal(Operand reg, Operand literal);
  // All that taking the edge says.
  void assume_taken(Edge edge);

  // Drops the assumptions made since.
  size_t mark() const { return set_.size(); }
  void release(size_t mark);

 private:
  // A comparison that came out so.
  struct Comparison {
    Type type;
    Operand left, right;
    uint8_t outcomes;
    size_t since;  // size of the set then
  };

  Operand found(Operand operand) const;
  std::optional<bool> computed(Reg predicate) const;
  std::optional<bool> compared(const Inst& inst) const;
  void note(const Inst& inst, bool value);
  void expand(Reg predicate, bool value);
  void expand_compare(const Inst& inst, bool value);
  void expand_target(const Inst& cmpp, int target, bool value);
  bool set(Reg r, Operand literal);

  Function& function_;
  std::span<const InstId> definitions_;  // by Reg
  std::vector<Operand> known_;           // by Reg: a literal, or none
  std::vector<Reg> set_;
  std::vector<Comparison> comparisons_;
  std::vector<std::pair<Operand, bool>> pending_;
};

}  // namespace psi::optimise
