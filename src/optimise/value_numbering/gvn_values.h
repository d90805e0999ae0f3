// The representative of each register while gvn walks down the dominator tree: the earlier register or
// constant that replaces it everywhere, and facts from the branches above.
//
//     @a: %p = cmp.eq.i32 %x, 3
//         br %p, @b, @c
//     @b: ...                    here %x is 3 and %p is true
//     @c: ...                    here %p is false
#pragma once

#include <vector>

#include "cfg/substitution.h"
#include "psi/analysis/dominators.h"
#include "psi/analysis/uses.h"
#include "psi/ir/function.h"
#include "psi/pass/analyses.h"
#include "psi/predicate/guard_facts.h"

namespace psi::optimise {

class GvnValues {
 public:
  GvnValues(Function& function, Analyses& analyses, GuardFacts& guards)
      : function_(function),
        uses_(analyses.get<Uses>()),
        dominators_(analyses.get<Dominators>()),
        guards_(guards),
        substitution_(function),
        known_(function.num_regs()),
        is_expected_(function.num_regs()),
        is_visited_(function.num_blocks()),
        arrivals_(function.num_blocks()) {}

  // What an operand is in the present scope, and everywhere.
  Operand here(Operand operand) {
    if (!operand.reads_reg()) return operand;
    Reg r = operand.reg();
    bool is_known = r.index() < known_.size() && !known_[r.index()].is_none();
    return is_known || substitution_.replaces(r) ? look_up(operand) : operand;
  }
  Operand everywhere(Operand operand) {
    return operand.reads_reg() && substitution_.replaces(operand.reg()) ? substitution_(operand) : operand;
  }

  // May `by` replace the register? It must be defined where the register is.
  bool may_replace(Reg r, Operand by) {
    return !guards_.any() || guards_.contains(guards_.domain(by), guards_.domain(Operand::reg(r)));
  }
  void replace(Reg r, Operand by) {
    substitution_.set(r, by);
    is_late_ |= r.index() < is_expected_.size() && is_expected_[r.index()];
  }
  cfg::Substitution& substitution() { return substitution_; }

  // --- The walk -------------------------------------------------------------------------------------
  void visit(BlockId b) { is_visited_[b.index()] = 1; }
  bool was_visited(BlockId b) const { return is_visited_[b.index()]; }
  // A later replacement of this register could complete a search.
  void expect(Operand operand) {
    operand = everywhere(operand);
    if (operand.reads_reg() && operand.reg().index() < is_expected_.size()) {
      is_expected_[operand.reg().index()] = 1;
    }
  }
  // Was such a one replaced?
  bool is_late() const { return is_late_; }

  // --- Scopes ---------------------------------------------------------------------------------------
  size_t mark() const { return learned_.size(); }
  void forget_to(size_t mark) {
    for (; learned_.size() > mark; learned_.pop_back()) {
      known_[learned_.back().reg.index()] = learned_.back().before;
    }
  }
  // Finds how the successors of a block are reached, for take_edge() from it. Linear in its targets.
  void find_arrivals(BlockId b);
  // What holds wherever this edge was taken, if it is the only one between the two blocks.
  void take_edge(BlockId from, BlockId to);
  // The operand is this truth value.
  void assume(Operand predicate, bool truth);
  void assume_equal(Operand a, Operand b);

  // --- Definitions ----------------------------------------------------------------------------------
  // Where a register is defined, those that gvn adds included. A parameter is defined at the entry.
  BlockId block_of(Reg r) const;
  InstId definition(Reg r) const;
  bool dominates(Operand value, BlockId b) const {
    return !value.reads_reg() || dominators_.dominates(block_of(value.reg()), b);
  }
  // A register that gvn adds, and the instruction that defines it.
  Reg add(BlockId b, InstId id, Type type);

 private:
  struct Learned {
    Reg reg;
    Operand before;
  };
  struct Fact {
    Operand predicate;
    bool truth;
  };
  // How a block is reached from the one passed to find_arrivals() last.
  struct Arrival {
    BlockId from;
    InstId terminator;
    Operand value;  // of a switch; none: any
    bool is_only = false;
  };

  Operand look_up(Operand operand);
  void learn(Reg r, Operand value);
  void look_into(InstId id, bool truth);
  bool is_defined_before(Reg a, Reg b) const;

  Function& function_;
  const Uses& uses_;
  const Dominators& dominators_;
  GuardFacts& guards_;
  cfg::Substitution substitution_;
  std::vector<Operand> known_;        // by Reg: in the present scope; none: nothing
  std::vector<uint8_t> is_expected_;  // by Reg
  std::vector<uint8_t> is_visited_;   // by BlockId
  std::vector<Arrival> arrivals_;     // by BlockId
  bool is_late_ = false;
  std::vector<Learned> learned_;
  std::vector<Fact> facts_;  // yet to be looked at
  struct Added {
    BlockId block;
    InstId inst;
  };
  std::vector<Added> added_;  // registers from known_.size() on
};

}  // namespace psi::optimise
