// A function in SSA form while it is being simplified: who reads what, and what stands where, kept up to date
// with every change, so that rules can be applied until none does.
//
//     %a = add %x, 0      replace(%a, %x)       (gone)
//     %b = mul %a, 2      rewrite(%b = shl %a)  %b = shl %x, 1
//
// Replaced registers live on until finish() in what has not been looked at since; value() sees through them.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "psi/analyses.h"
#include "psi/counters.h"
#include "psi/function.h"
#include "psi/guard_facts.h"
#include "transform/substitution.h"

namespace psi::transform {

class SimplifyGraph {
 public:
  // Linear. All blocks must be reachable.
  SimplifyGraph(Function& function, Analyses& analyses);

  Function& function() { return function_; }
  const Function& function() const { return function_; }
  // What stands for the operand now.
  Operand value(Operand operand) { return substitution_(operand); }
  // The instruction that defines a register, none for a parameter and for what is no register.
  InstId definition(Operand operand) const {
    return operand.is_reg() ? definition_[operand.reg().index()] : InstId();
  }
  uint32_t num_uses(Reg r) const { return num_uses_[r.index()]; }
  BlockId block(InstId id) const { return block_[id.index()]; }
  // Is the predicate read as a guard in a function with psis, or what such a guard is computed from? How
  // guards are computed shows which domains they lie in, so it should not be made harder to see.
  bool is_guarding(Reg r) const {
    return facts_.any() &&
           (r.index() >= num_old_regs_ ? function_.type(r) == Type::i1 : is_guarding_[r.index()]);
  }
  bool is_dead(InstId id) const { return !block_[id.index()]; }

  // --- What is to be looked at ------------------------------------------------------------------------
  // The next instruction, with its operands replaced; none if nothing is left.
  InstId next();
  void look_at(InstId id);

  // --- Changes ----------------------------------------------------------------------------------------
  // Puts `by` in the place of a register, whose definition goes. False if a psi forbids it, whose guards must
  // lie within the domains of its values, or a call through the register.
  bool replace(Reg r, Operand by);
  // Makes an instruction compute its result in another way. Its guard and results stay; the operands must not
  // be part of the function's own.
  void rewrite(InstId id, Inst inst, std::span<const Operand> operands);
  // Adds an instruction without a guard before another one.
  Reg insert_before(InstId where, Inst inst, std::span<const Operand> operands);
  // Merges operands instead of results: turns a phi into one of `arguments`, and puts the operation on that,
  // with `fixed` as its other operand if it has one, behind the phis.
  void sink_below_phi(InstId phi, Inst operation, std::span<const Operand> arguments, Operand fixed);
  // Gives the instruction another guard.
  void set_guard(InstId id, Guard guard);
  // Does nothing read what the instruction computes, and has it no effect?
  bool is_superfluous(InstId id) const;
  void remove(InstId id);
  uint64_t num_removed() const { return num_removed_; }

  // Rewrites the blocks. What is left of the analyses: all if nothing changed, nothing if branches were
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
  GuardFacts facts_;
  Substitution substitution_;
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

}  // namespace psi::transform
