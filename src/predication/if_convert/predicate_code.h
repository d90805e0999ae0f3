// Computes predicates at a builder's position, and shares repeated ones.
#pragma once

#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "psi/ir/builder.h"

namespace psi::predication {

// For a builder that stays in one block.
class PredicateCode {
 public:
  explicit PredicateCode(Builder& builder) : builder_(builder) {}

  // Of registers in either polarity; the result is a register in positive polarity.
  Operand both(Operand a, Operand b) { return combine(Opcode::And, a, b); }
  Operand either(Operand a, Operand b) { return combine(Opcode::Or, a, b); }
  // One of several, in a logarithmic number of steps.
  Operand any(std::span<const Operand> predicates);
  Operand positive(Operand predicate);
  // A register for a literal.
  Operand constant(Operand literal);
  // Does a switch on the value take this case?
  Reg case_test(Type type, Operand value, Operand literal);

 private:
  Operand combine(Opcode op, Operand a, Operand b);

  Builder& builder_;
  std::vector<Operand> level_;
  std::unordered_map<Reg, Reg> complements_;
  std::unordered_map<uint64_t, Reg> case_tests_;  // by value and literal
};

// Removes computations of unread predicates, and unread targets of two-target compares. Returns the number of
// removed instructions. Linear in the function.
uint64_t remove_unread_predicates(Function& function, std::span<const BlockId> blocks);

}  // namespace psi::predication
