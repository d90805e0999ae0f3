// Facts about the function, for the steps of scramble.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "psi/analysis/dominators.h"
#include "psi/analysis/uses.h"
#include "psi/predicate/guard_facts.h"
#include "scramble/scramble_context.h"

namespace psi::scramble {

// Valid until instructions are added, removed or moved. Changed operands and guards are not seen.
class FunctionFacts {
 public:
  explicit FunctionFacts(ScrambleContext& context);

  InstId definition(Reg r) const { return uses_.definition(r); }
  BlockId block(InstId id) const { return uses_.block(id); }
  uint32_t position(InstId id) const { return uses_.position(id); }
  // In reachable blocks.
  Place place(InstId id) const { return {uses_.block(id), calls_[id.index()]}; }
  Place end(BlockId b) const { return {b, block_calls_[b.index()]}; }

  // False for newer registers.
  bool knows(Operand operand) const { return !operand.reads_reg() || operand.reg().index() < num_regs_; }
  // Is the value available at this position? The number of instructions means the end of the block.
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
  // The union of their guards.
  Term united(std::span<const Argument> arguments);
  // The term of a psi of predicates.
  Term merged(std::span<const Argument> arguments);

  // The domain of a value.
  Term domain(Operand value) const { return facts_.domain(value); }
  // Do the domains of all values but the first contain their guards, wherever the psi is?
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

}  // namespace psi::scramble
