// Arithmetic on values of 64 bits as two halves of 32 bits.
#pragma once

#include "select/legalise/emitter.h"

namespace psi::select {

struct Pair {
  Operand lo, hi;
};

class SplitArithmetic {
 public:
  explicit SplitArithmetic(Emitter& emitter) : e_(emitter) {}

  // Does `op` give halves here? Divisions, for one, are calls.
  static bool has(Opcode op);
  // `operands` as the opcode has them; two results, or for `overflow` a predicate.
  Pair compute(Opcode op, std::span<const Pair> operands);
  Operand overflow(Opcode op, Pair a, Pair b);
  Operand cmp(Cond cond, Pair a, Pair b);

  Pair literal(uint64_t bits);
  Pair add(Pair a, Pair b);
  Pair sub(Pair a, Pair b);
  Pair mul(Pair a, Pair b);
  Pair shift(Opcode op, Pair a, Operand amount);
  Pair select(Operand predicate, Pair a, Pair b);
  // The upper half of the product of two unsigned numbers.
  Operand mul_high(Operand a, Operand b);

 private:
  Operand word(uint64_t bits) { return e_.literal(Type::i32, bits); }
  Operand sign(Operand a) { return e_.ashr(a, 31); }
  Pair each(Opcode op, Pair a, Pair b) { return {e_.op(op, {a.lo, b.lo}), e_.op(op, {a.hi, b.hi})}; }
  Pair constant_shift(Opcode op, Pair a, uint64_t amount);
  Pair funnel(Opcode op, Pair a, Pair b, Pair amount);
  Pair magnitude(Pair a);
  // What is exact, unless it overflows: then the extreme on the side of `a`.
  Pair saturated(Operand overflows, Pair a, Pair exact);
  Operand unsigned_product_overflows(Pair a, Pair b);
  Operand signed_product_overflows(Pair a, Pair b);

  Emitter& e_;
};

}  // namespace psi::select
