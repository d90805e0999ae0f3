// A function in SSA form during simplification: uses and positions, updated with every change, so that rules
// can be applied until none matches.
//
//     %a = add %x, 0      replace(%a, %x)       (gone)
//     %b = mul %a, 2      rewrite(%b = shl %a)  %b = shl %x, 1
//
// Replaced registers remain in unvisited instructions until finish(); value() resolves them.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "cfg/substitution.h"
#include "psi/ir/function.h"
#include "psi/pass/analyses.h"
#include "psi/pass/counters.h"
#include "psi/predicate/guard_facts.h"

namespace psi::optimise {

class SimplifyGraph {
 public:
  // Linear. All blocks must be reachable.
  SimplifyGraph(Function& function, Analyses& analyses);

  Function& function() { return function_; }
  const Function& function() const { return function_; }
  // The current replacement of the operand.
  Operand value(Operand operand) { return substitution_(operand); }
  // The instruction that defines a register, none for a parameter and for what is no register.
  InstId definition(Operand operand) const {
    return operand.is_reg() ? definition_[operand.reg().index()] : InstId();
  }
  uint32_t num_uses(Reg r) const { return num_uses_[r.index()]; }
  BlockId block(InstId id) const { return block_[id.index()]; }
  // Is the predicate, in a function with psis, a guard or an operand of a guard's computation? That
  // computation proves containment in domains, so it must stay visible.
  bool is_guarding(Reg r) const {
    return facts_.any() &&
           (r.index() >= num_old_regs_ ? function_.type(r) == Type::i1 : is_guarding_[r.index()]);
  }
  bool is_dead(InstId id) const { return !block_[id.index()]; }

  // --- Worklist ------------------------------------------------------------------------
  // The next instruction, with its operands replaced; none if nothing is left.
  InstId next();
  void look_at(InstId id);

  // --- Changes ----------------------------------------------------------------------------------------
  // Replaces a register by `by` and removes its definition. False if a psi's consistency forbids it, or a
  // call through the register.
  bool replace(Reg r, Operand by);
  // Rewrites the computation of an instruction. Its guard and results stay; the operands must not be part of
  // the function's own.
  void rewrite(InstId id, Inst inst, std::span<const Operand> operands);
  // Adds an instruction without a guard before another one.
  Reg insert_before(InstId where, Inst inst, std::span<const Operand> operands);
  // Merges operands instead of results: turns a phi into one of `arguments`, and inserts the operation on it,
  // with `fixed` as its other operand if it has one, after the phis.
  void sink_below_phi(InstId phi, Inst operation, std::span<const Operand> arguments, Operand fixed);
  // Gives the instruction another guard.
  void set_guard(InstId id, Guard guard);
  // Does nothing read what the instruction computes, and has it no effect?
  bool is_superfluous(InstId id) const;
  void remove(InstId id);
  uint64_t num_removed() const { return num_removed_; }

  // Rewrites the blocks. Returns the analyses that stay valid: all if nothing changed, none if branches were
  // folded.
  Keeps finish(Analyses& analyses, Counters& counters);

  GuardFacts& facts() { return facts_; }

 private:
  struct User {
    InstId inst;
    uint32_t next;
  };
  static constexpr uint32_t kNone = UINT32_MAX;

  void add_records();
  void link_before(InstId where, InstId id);
  void add_user(Reg r, InstId user);
  void count_reads(InstId id);
  void forget_read(Operand operand);
  void look_at_users(Reg r);
  void resolve(InstId id);
  bool is_called(Reg r) const;
  bool psis_allow(Reg r, Operand by);
  void find_guarding();
  void remove_dying();
  void list_blocks();

  Function& function_;
  GuardFacts& facts_;
  cfg::Substitution substitution_;
  uint32_t num_old_regs_;
  bool changed_ = false;
  uint64_t num_removed_ = 0;

  std::vector<InstId> definition_;       // by Reg
  std::vector<uint32_t> num_uses_;       // by Reg
  std::vector<uint32_t> first_user_;     // by Reg: in users_
  std::vector<User> users_;              // some may read the register no longer
  std::vector<BlockId> block_;           // by InstId; none: gone
  std::vector<InstId> next_, previous_;  // by InstId: the instructions of a block
  std::vector<InstId> first_;            // by BlockId
  std::vector<bool> is_guarding_;        // by Reg; empty without guards
  std::vector<uint8_t> is_waiting_;      // by InstId
  std::vector<InstId> waiting_;
  size_t num_looked_at_ = 0;
  std::vector<Operand> old_operands_;  // scratch
  std::vector<InstId> dying_;          // nothing reads these, perhaps
};

}  // namespace psi::optimise
