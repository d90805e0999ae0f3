// The properties of each opcode from the opcode table, and the conditions and actions of comparisons.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "psi/ir/type.h"

namespace psi {

enum class Opcode : uint8_t {
#define PSI_OPCODE(id, name, format, types, effect) id,
#include "psi/ir/opcodes.def"
#undef PSI_OPCODE
};

inline constexpr int kNumOpcodes = 0
#define PSI_OPCODE(id, name, format, types, effect) +1
#include "psi/ir/opcodes.def"
#undef PSI_OPCODE
    ;

// Without those of machine instructions, which no program names.
inline constexpr int kNumGenericOpcodes = static_cast<int>(Opcode::MachinePure);

// The shape of an instruction: its operands in order, and its syntax. T is the type suffix.
enum class Format : uint8_t {
  Binary,            // T = op.T a, b
  Unary,             // T = op.T a
  Ternary,           // T = op.T a, b, c
  Overflow,          // i1 = op.T a, b
  Compare,           // i1 = cmp.COND.T a, b
  ComparePredicate,  // i1[, i1] = cmpp.ACTION[.ACTION].COND.T a, b [if p] [old q[, r]]
  Convert,           // TO = op.FROM.TO a
  Move,              // T = mov.T a
  Select,            // T = select.T p, a, b
  Phi,               // T = phi [@b: a], ...             operands: (block, value) pairs
  Psi,               // T = psi p ? a, !q ? b, c         operands: (guard, value) pairs
  Slot,              // ptr = slot SIZE                  operand: i64
  PtrAdd,            // ptr = ptradd p, i                operands: ptr, i64
  PtrIndex,          // ptr = ptrindex p, i, SCALE, OFF  operands: ptr, i64, i64, i64 (last two literal)
  Load,              // T = load.T p
  Store,             // store.T a, p
  MemCopy,           // memcpy dst, src, n               operands: ptr, ptr, i64
  MemSet,            // memset dst, byte, n              operands: ptr, i8, i64
  VaList,            // va_start p
  VaArg,             // T = va_arg.T p
  VaCopy,            // va_copy dst, src
  Call,              // [T =] call[.T] $f(a, ...)        operands: callee, arguments
  Branch,            // br @b  |  br p, @b, @c           operands: [condition,] blocks
  Switch,            // switch.T a, @default, [1: @b]    operands: value, default, (literal, block) pairs
  Return,            // ret [a]
  Unreachable,       // unreachable
  Machine,           // [T =] SET.FORM ...               operands: as the form says
};

enum class TypeSet : uint8_t { None, Int, Float, Any };

// Pure instructions may be speculated; Trap ones only where proved safe; the others never (a load marked
// `deref` excepted).
enum class Effect : uint8_t { Pure, Trap, Read, Write, Control };

struct OpcodeInfo {
  std::string_view name;
  Format format;
  TypeSet types;
  Effect effect;
};

inline constexpr std::array<OpcodeInfo, kNumOpcodes> kOpcodes = {{
#define PSI_OPCODE(id, name, format, types, effect) {name, Format::format, TypeSet::types, Effect::effect},
#include "psi/ir/opcodes.def"
#undef PSI_OPCODE
}};

constexpr const OpcodeInfo& info(Opcode op) { return kOpcodes[static_cast<size_t>(op)]; }
std::optional<Opcode> opcode_from_name(std::string_view name);

inline bool is_machine(Opcode op) { return op >= Opcode::MachinePure; }
inline bool is_terminator(Opcode op) { return info(op).effect == Effect::Control; }
// May the suffix be this type?
bool takes_type(Opcode op, Type type);
// Does the conversion make the one of the other?
bool converts(Opcode op, Type from, Type to);
bool is_commutative(Opcode op);
// Does the opcode always leave a result? (A call may or may not.)
bool has_result(Opcode op);

// Conditions. Integers and pointers: equality, signed, unsigned. Floats: ordered (false on NaN) and
// unordered (true on NaN).
enum class Cond : uint8_t {
  eq,
  ne,
  lt,
  le,
  gt,
  ge,
  ult,
  ule,
  ugt,
  uge,  // integer, pointer
  foeq,
  fone,
  folt,
  fole,
  fogt,
  foge,
  ford,
  fueq,
  fune,
  fult,
  fule,
  fugt,
  fuge,
  funo,  // float
};

inline constexpr int kNumConds = 24;
inline constexpr int kNumIntConds = 10;

constexpr bool is_float_cond(Cond cond) { return cond >= Cond::foeq; }
std::string_view cond_name(Cond cond);
// The condition called `name` for operands of `type`.
std::optional<Cond> cond_from_name(std::string_view name, Type type);
// The condition that holds exactly where `cond` does not.
Cond negate(Cond cond);
// The condition of the comparison with exchanged operands.
Cond swap_operands(Cond cond);

// What a cmpp target does with the comparison's result (docs/ir.md, "cmpp"). Each action in normal or
// complement mode; the enumerators are ordered so that bit 0 is the mode.
enum class Action : uint8_t { un, uc, on, oc, an, ac, cn, cc, none };

// What an action does whatever its mode.
enum class ActionClass : uint8_t {
  Unconditional,  // writes the result, and false where the input is false
  ParallelOr,     // writes true where the result holds, else nothing
  ParallelAnd,    // writes false where the result does not hold, else nothing
  Conditional,    // writes the result where the input is true, else nothing
  None,
};

constexpr ActionClass action_class(Action action) {
  return static_cast<ActionClass>(static_cast<uint8_t>(action) >> 1);
}
// The action of this class, in normal or in complement mode.
constexpr Action make_action(ActionClass of, bool complement) {
  return of == ActionClass::None ? Action::none
                                 : static_cast<Action>(static_cast<uint8_t>(of) << 1 | uint8_t{complement});
}
constexpr bool is_complement(Action action) { return static_cast<uint8_t>(action) & 1; }
// Partial actions may keep their target's old value, so in SSA form they read it.
constexpr bool is_partial(Action action) { return action >= Action::on && action <= Action::cc; }
// Writers of one class may write one register in any order: all write the same value.
constexpr bool is_parallel(ActionClass of) {
  return of == ActionClass::ParallelOr || of == ActionClass::ParallelAnd;
}
std::string_view action_name(Action action);
std::optional<Action> action_from_name(std::string_view name);

}  // namespace psi
