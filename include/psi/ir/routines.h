// The routines of a runtime library that stand for operations: those of libgcc and of the C library's part
// for floating point. Code for a target that lacks an operation calls one; the interpreter executes the call
// as the operation.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "psi/ir/opcode.h"
#include "psi/ir/value.h"

namespace psi {

struct RuntimeRoutine {
  // What a comparison of floating-point numbers returns is less than, equal to or greater than 0.
  enum class Kind : uint8_t { Operation, Compare };
  std::string_view name;
  Kind kind = Kind::Operation;
  Opcode op = Opcode::Add;  // of a comparison cmp
  Type type = Type::none;   // of the operation
  Type from = Type::none;   // of a conversion
  Cond cond = Cond::eq;     // of a comparison: holds if the result compares so with 0 (int_cond)
  bool is_other = false;    // another name, of one machine's library

  // Of its call. All operands have one type.
  Type result() const { return kind == Kind::Compare ? Type::i32 : type; }
  Type operand() const { return from == Type::none ? type : from; }
  size_t num_operands() const;
  // The condition on an integer c that holds for `cond` where c is what the routine returns: c COND 0.
  Cond int_cond() const;
};

std::span<const RuntimeRoutine> routines();
const RuntimeRoutine* find_routine(std::string_view name);
// The routine for an operation, conversion or comparison; null: there is none.
const RuntimeRoutine* routine_for(Opcode op, Type type, Type from = Type::none);
const RuntimeRoutine* routine_for(Cond cond, Type type);

// What the routine returns for such arguments, all of them defined; nothing for undefined behaviour.
std::optional<Value> call_routine(const RuntimeRoutine& routine, std::span<const uint64_t> arguments);

}  // namespace psi
