// Replaces registers by other values, all at once.
//
//     %b = mov %a             b := a, c := true
//     %c = cmp.eq %a, %a      ==>
//     %c ? %d = add %b, 1     %d = add %a, 1
//     %e = psi %x, %c ? %d    e := d, in turn
//
// Known guards are handled here, the same for all passes: an instruction whose guard is true loses the guard,
// one whose guard is false is removed and its results become undef; a psi loses arguments that are never
// taken, and is itself replaced once it has one left. Branches on literals are folded.
//
// A register may be replaced by an operand of the same value wherever the register is defined: the domain of
// the new value must contain that of the old one, or else the guards of the readers, which the caller must
// ensure.
#pragma once

#include <vector>

#include "cfg/terminators.h"
#include "psi/ir/function.h"
#include "psi/pass/analyses.h"
#include "psi/pass/counters.h"

namespace psi::cfg {

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
  // The replacement of the operand, or the operand itself. The complement of a literal is a literal.
  Operand operator()(Operand operand) {
    return operand.reads_reg() && replaces(operand.reg()) ? resolved(operand) : operand;
  }

  // Rewrites the function, whose blocks must all be reachable. The definitions of replaced registers stay,
  // unless they become no-ops; adce removes dead code. The analyses are valid as far as Keeps says, and are
  // dropped accordingly; blocks that become unreachable are removed.
  Keeps apply(Analyses& analyses, Counters& counters);

 private:
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

}  // namespace psi::cfg
