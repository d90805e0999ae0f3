// The meaning of the pure opcodes on defined operands. Values are bits, zero above the type's width.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "psi/ir/inst.h"
#include "psi/ir/value.h"

namespace psi {

// The shift that moves the top bit of a value of the type to bit 63. Shifting there and back masks (unsigned)
// or sign-extends (signed) without a table.
constexpr unsigned width_shift(Type type) { return 64 - bit_width(type); }
constexpr uint64_t mask_by(uint64_t bits, unsigned shift) { return bits << shift >> shift; }
constexpr int64_t signed_by(uint64_t bits, unsigned shift) {
  return static_cast<int64_t>(bits << shift) >> shift;
}

// Types are not ptr here, but the integer type of its width (Function::as_bits).
//
// The result of a Binary, Unary, Ternary or Convert opcode; undef where defined operands give undef.
// Division needs a divisor that divide_fault has passed.
Value eval_binary(Opcode op, Type type, uint64_t a, uint64_t b);
Value eval_unary(Opcode op, Type type, uint64_t a);
Value eval_ternary(Opcode op, Type type, uint64_t a, uint64_t b, uint64_t c);
Value eval_convert(Opcode op, Type from, Type to, uint64_t a);
bool eval_overflow(Opcode op, Type type, uint64_t a, uint64_t b);
bool eval_cond(Cond cond, Type type, uint64_t a, uint64_t b);

// Why a division or remainder is undefined behaviour; null if it is not. The dividend may be undef.
const char* divide_fault(Opcode op, Type type, Value dividend, Value divisor);

// The value of a cmpp target in three-valued logic.
Value eval_action(Action action, Value input, Value condition, Value old);

// The result of an unguarded pure instruction or division with one result, its operands in order, undef ones
// as in docs/ir.md. Nothing for undefined behaviour, and for phi, psi, freeze, cmpp and address computations.
// `pointer_bits` is the function's: comparisons and conversions of pointers depend on it.
std::optional<Value> evaluate(const Inst& inst, std::span<const Value> operands, unsigned pointer_bits = 64);

// The NaN that arithmetic makes, so that runs agree on every host.
inline constexpr uint64_t kNan64 = 0x7ff8'0000'0000'0000;
inline constexpr uint64_t kNan32 = 0x7fc0'0000;

}  // namespace psi
