// Instructions that compute predicates, where a builder stands; what was computed before is taken again.
#pragma once

#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "psi/builder.h"

namespace psi::if_conversion {

// For a builder that goes on in one block.
class PredicateCode {
 public:
  explicit PredicateCode(Builder& builder) : builder_(builder) {}

  // Of registers in either polarity; the result is a register as it is.
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

// Takes out of the blocks what computes predicates that nothing reads; of two-target compares the target that
// is not read. How many instructions went. Linear in the function.
uint64_t remove_unread_predicates(Function& function, std::span<const BlockId> blocks);

}  // namespace psi::if_conversion
