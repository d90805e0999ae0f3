// What the steps of scramble ask of the function as it is.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <unordered_map>
#include <vector>

#include "psi/predicate_engine.h"
#include "psi/predicates.h"
#include "transform/scramble_scene.h"

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
  bool knows(Operand operand) const {
    return !operand.reads_reg() || operand.reg().index() < domains_.size();
  }
  // Is the value there when the instruction at this position is reached? The number of instructions stands
  // for the end of a block.
  bool is_available(Operand value, BlockId b, uint32_t position) const;
  bool is_available(Operand value, InstId at) const { return is_available(value, block(at), position(at)); }
  // Registers of a type that may be available, a few at random.
  std::vector<Reg> some_registers(Type type, size_t count, Dice& dice) const;

  // --- Predicates -----------------------------------------------------------------------------------
  Term term(Operand predicate) { return predicates_.value(predicate); }
  Term term(Guard guard) { return predicates_.value(guard.as_operand()); }
  Term both(Term a, Term b) { return predicates_.terms().both(a, b); }
  Term either(Term a, Term b) { return predicates_.terms().either(a, b); }
  bool contains(Term outer, Term inner);
  bool excludes(Term a, Term b);
  // Where one of their guards is true.
  Term united(std::span<const Argument> arguments);
  // What a psi of predicates gives.
  Term merged(std::span<const Argument> arguments);

  // Where a value gets defined.
  Term domain(Operand value) const {
    return value.reads_reg() ? domains_[value.reg().index()] : Term::always();
  }
  // Do the guards of all arguments but the first lie within the domains of their values, wherever the psi
  // stands?
  bool is_consistent(std::span<const Argument> arguments);

 private:
  const Function& function_;
  const Uses& uses_;
  const Dominators& dominators_;
  Predicates predicates_;
  std::unique_ptr<PredicateEngine> engine_;
  // By the two terms: what was answered.
  std::unordered_map<uint64_t, bool> subset_;
  std::unordered_map<uint64_t, bool> disjoint_;
  std::vector<Term> domains_;                // by Reg
  std::vector<uint32_t> calls_;              // by InstId: how many come before it in its block
  std::vector<uint32_t> block_calls_;        // by BlockId: all
  std::vector<std::vector<Reg>> registers_;  // by type
};

}  // namespace psi::scrambling
