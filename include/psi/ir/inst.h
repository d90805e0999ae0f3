// One instruction: a fixed 32-byte record. Up to three operands are inline, longer lists are in the
// function's operand pool; read them through Function::operands.
#pragma once

#include <array>
#include <cstdint>

#include "psi/ir/opcode.h"
#include "psi/ir/operand.h"

namespace psi {

struct Inst {
  static constexpr uint32_t kMaxInline = 3;
  static constexpr uint32_t kMaxOperands = (1u << 24) - 1;

  // Flags; each is printed as a modifier after the opcode, except kStop, which is printed as `;;`.
  static constexpr uint32_t kVolatile = 1;  // memory access: an observable effect, kept as it is
  static constexpr uint32_t kDeref = 2;     // load: the address is known to be readable, so it cannot trap
  static constexpr uint32_t kFast = 4;      // floating point: may be reassociated and contracted
  static constexpr uint32_t kStop = 8;      // allocated form: the last instruction of its packet

  Opcode op = Opcode::Unreachable;
  // The suffix: the type computed in (a comparison's operands, a conversion's target). Machine: of the first
  // result.
  Type type = Type::none;
  uint8_t kind = 0;  // Compare: condition; Convert: source type; Machine: the low half of the form
  // Memory: log2 of the alignment; ComparePredicate: the two actions; Branch, Switch, Select: see
  // misprediction_rate(); Machine: the high half of the form.
  uint8_t extra = 0;
  uint32_t count : 24 = 0;
  uint32_t flags : 8 = 0;
  Guard guard;
  std::array<Reg, 2> results;
  std::array<Operand, kMaxInline> inline_operands;  // if count > kMaxInline, the first holds the pool offset

  Cond cond() const { return static_cast<Cond>(kind); }
  void set_cond(Cond cond) { kind = static_cast<uint8_t>(cond); }
  Type from() const { return static_cast<Type>(kind); }
  void set_from(Type type) { kind = static_cast<uint8_t>(type); }
  uint64_t align() const { return uint64_t{1} << extra; }
  Action action(int target) const { return static_cast<Action>(target == 0 ? extra & 15 : extra >> 4); }
  void set_actions(Action first, Action second) {
    extra = static_cast<uint8_t>(static_cast<uint8_t>(first) | static_cast<uint8_t>(second) << 4);
  }
  // A machine instruction's form: an index into the function's instruction set.
  uint32_t form() const { return uint32_t{kind} | uint32_t{extra} << 8; }
  void set_form(uint32_t index) {
    kind = static_cast<uint8_t>(index & 255);
    extra = static_cast<uint8_t>(index >> 8);
  }
  bool has_flag(uint32_t flag) const { return flags & flag; }

  Format format() const { return info(op).format; }
  Effect effect() const { return info(op).effect; }
  // Computes and does nothing else: may be dropped, repeated and speculated. A freeze may choose another
  // value each time.
  bool is_pure() const { return effect() == Effect::Pure; }
  // Pure where it does not reach undefined behaviour, as a division does by zero.
  bool may_trap() const { return effect() == Effect::Trap; }
  // What it gives depends on its operands alone.
  bool computes() const { return is_pure() || may_trap(); }
  bool writes_memory() const { return effect() == Effect::Write; }
  bool is_machine() const { return psi::is_machine(op); }
  bool is_terminator() const { return psi::is_terminator(op); }
  bool is_copy() const { return op == Opcode::Mov; }
  bool is_phi() const { return op == Opcode::Phi; }
  bool is_psi() const { return op == Opcode::Psi; }
  // `br @b`.
  bool is_jump() const { return op == Opcode::Br && count == 1; }
  // `br p, @b, @c`.
  bool is_branch() const { return op == Opcode::Br && count == 3; }
  // A cmpp in SSA form with a partial target, whose old value it reads (as_cmpp in views.h).
  bool has_old_values() const { return op == Opcode::Cmpp && count > 3; }
  uint32_t num_results() const { return results[1] ? 2 : results[0] ? 1 : 0; }
  // The type of both results; none if the instruction has no result.
  Type result_type() const;
};

static_assert(sizeof(Inst) == 32);

}  // namespace psi
