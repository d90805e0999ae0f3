// Puts other values in the place of registers, all at once.
//
//     %b = mov %a             b := a, c := true
//     %c = cmp.eq %a, %a      ==>
//     %c ? %d = add %b, 1     %d = add %a, 1
//     %e = psi %x, %c ? %d    e := d, in turn
//
// What follows from known guards follows here, for all passes in the same way: an instruction whose guard is
// true loses it, one whose guard is false goes and its results become undef; a psi loses the arguments that
// are never taken, and is itself replaced once it has one left. Branches on literals are folded.
//
// A register may be replaced by what holds the same value wherever the register is defined: the domain of the
// new value must contain that of the old one, or, if it does not, what reads it (the caller's task to show).
#pragma once

#include <vector>

#include "psi/analyses.h"
#include "psi/counters.h"
#include "psi/function.h"
#include "transform/terminators.h"

namespace psi::transform {

class Substitution {
 public:
  explicit Substitution(Function& function)
      : function_(function), by_(function.num_regs()), terminators_(function) {}

  // `by`: a register, literal, undef or symbol of the same type. Not the register itself, nor what is
  // replaced by it.
  void set(Reg r, Operand by) {
    if (r.index() >= by_.size()) by_.resize(function_.num_regs());
    by_[r.index()] = by;
    empty_ = false;
  }
  bool replaces(Reg r) const { return r.index() < by_.size() && !by_[r.index()].is_none(); }
  bool empty() const { return empty_; }
  // What stands for the operand: itself where nothing does. The complement of a literal is a literal.
  Operand operator()(Operand operand) {
    return operand.reads_reg() && replaces(operand.reg()) ? resolved(operand) : operand;
  }

  // Rewrites the function, whose blocks must all be reachable. The definitions of replaced registers stay,
  // unless they have nothing left to do; dead code is for adce. The analyses are valid as far as Keeps says,
  // and are dropped accordingly; blocks that become unreachable are removed.
  Keeps apply(Analyses& analyses, Counters& counters);

 private:
  Operand complement(Operand operand);
  Operand resolved(Operand operand);
  void find_called();
  bool keeps_callee(InstId id);
  void propagate(BlockId b);
  bool propagate(InstId id);
  bool propagate_psi(InstId id);
  bool propagate_cmpp(InstId id);
  void rewrite(BlockId b);
  void rewrite(InstId id);

  Function& function_;
  std::vector<Operand> by_;  // by Reg; none: stays
  bool empty_ = true;
  std::vector<uint8_t> is_called_;  // by Reg
  std::vector<InstId> kept_;
  std::vector<Operand> operands_;
  std::vector<BlockId> targets_;
  TerminatorFolding terminators_;
  uint64_t removed_ = 0;
  bool keeps_edges_ = true;
};

}  // namespace psi::transform
