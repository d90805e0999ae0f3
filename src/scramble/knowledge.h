// What the steps of scramble ask of the function as it is.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "psi/guard_facts.h"
#include "scramble/scene.h"

namespace psi::scrambling {

// Holds until instructions come, go or move. Changed operands and guards are not seen.
class Knowledge {
 public:
  explicit Knowledge(Scene& scene);

  InstId definition(Reg r) const { return uses_.definition(r); }
  BlockId block(InstId id) const { return uses_.block(id); }
  uint32_t position(InstId id) const { return uses_.position(id); }
  // In reachable blocks.
  Place place(InstId id) const { return {uses_.block(id), calls_[id.index()]}; }
  Place end(BlockId b) const { return {b, block_calls_[b.index()]}; }

  // Not registers that were made since.
  bool knows(Operand operand) const { return !operand.reads_reg() || operand.reg().index() < num_regs_; }
  // Is the value there when the instruction at this position is reached? The number of instructions stands
  // for the end of a block.
  bool is_available(Operand value, BlockId b, uint32_t position) const;
  bool is_available(Operand value, InstId at) const { return is_available(value, block(at), position(at)); }
  // Registers of a type that may be available, a few at random.
  std::vector<Reg> some_registers(Type type, size_t count, Dice& dice) const;

  // --- Predicates -----------------------------------------------------------------------------------
  Term term(Operand predicate) { return facts_.term(predicate); }
  Term term(Guard guard) { return facts_.term(guard); }
  Term both(Term a, Term b) { return facts_.both(a, b); }
  Term either(Term a, Term b) { return facts_.either(a, b); }
  bool contains(Term outer, Term inner) { return facts_.contains(outer, inner); }
  bool excludes(Term a, Term b) { return facts_.excludes(a, b); }
  // Where one of their guards is true.
  Term united(std::span<const Argument> arguments);
  // What a psi of predicates gives.
  Term merged(std::span<const Argument> arguments);

  // Where a value gets defined.
  Term domain(Operand value) const { return facts_.domain(value); }
  // Do the guards of all arguments but the first lie within the domains of their values, wherever the psi
  // stands?
  bool is_consistent(std::span<const Argument> arguments);

 private:
  const Function& function_;
  const Uses& uses_;
  const Dominators& dominators_;
  GuardFacts facts_;
  uint32_t num_regs_;
  std::vector<uint32_t> calls_;              // by InstId: how many come before it in its block
  std::vector<uint32_t> block_calls_;        // by BlockId: all
  std::vector<std::vector<Reg>> registers_;  // by type
};

}  // namespace psi::scrambling
