// Registers that hold the same value.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "scramble/function_facts.h"

namespace psi::scramble {

// Value numbering over the dominator tree without regard to guards: registers are equal where both are
// defined. In SSA form that holds at every point that both dominate.
class EqualValues {
 public:
  EqualValues(ScrambleContext& context, FunctionFacts& facts);

  // Including r; at most the first few.
  std::span<const Reg> of(Reg r) const { return classes_[class_[r.index()]]; }
  // The executions in which r is known to hold the value: its guard is true, and so it was for its operands.
  Term holds(Reg r) const { return holds_[r.index()]; }

 private:
  using Key = std::vector<uint32_t>;

  void number(InstId id);
  bool find_key(InstId id, Term& holds, Key& key);
  void add_value(Operand value, Key& key) const;
  Term holds(Operand value) const { return value.reads_reg() ? holds(value.reg()) : Term::always(); }
  void enter(Reg r, uint32_t number, Term holds);
  uint32_t new_class();

  const Function& function_;
  FunctionFacts& facts_;
  std::span<const Reg> twins_;
  std::vector<uint32_t> class_;            // by Reg
  std::vector<Term> holds_;                // by Reg
  std::vector<std::vector<Reg>> classes_;  // by number; the first is unused
  std::map<Key, uint32_t> by_key_;
};

}  // namespace psi::scramble
