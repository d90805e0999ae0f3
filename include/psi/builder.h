// Appends instructions to a block, with the records' details filled in.
#pragma once

#include <span>
#include <string_view>
#include <utility>

#include "psi/function.h"

namespace psi {

class Builder {
 public:
  explicit Builder(Function& function) : function_(function) {}

  Function& function() { return function_; }
  BlockId block() const { return block_; }
  // Where the next instruction goes.
  void at(BlockId block) { block_ = block; }
  // The guard and source line of the next instructions.
  void guard(Guard guard) { guard_ = guard; }
  void line(uint32_t line) { line_ = line; }
  // Where the next result goes: into this register instead of a new one (plain form).
  void into(Reg reg) { into_[0] = reg, into_[1] = Reg(); }
  void into(Reg first, Reg second) { into_[0] = first, into_[1] = second; }

  // --- Computing ------------------------------------------------------------------------------------
  // Binary, unary, ternary and overflow opcodes, mov and select: operands in order.
  Reg op(Opcode op, Type type, std::span<const Operand> operands, std::string_view name = {});
  Reg op(Opcode opcode, Type type, std::initializer_list<Operand> operands, std::string_view name = {}) {
    return op(opcode, type, std::span(operands.begin(), operands.size()), name);
  }
  Reg cmp(Cond cond, Type type, Operand a, Operand b, std::string_view name = {});
  // `input` is a predicate operand or Operand::always(). `old` holds one value for each partial action (SSA).
  std::pair<Reg, Reg> cmpp(Action first, Action second, Cond cond, Type type, Operand a, Operand b,
                           Operand input = Operand::always(), std::span<const Operand> old = {});
  Reg convert(Opcode op, Type from, Type to, Operand a, std::string_view name = {});
  // (block, value) pairs; (guard, value) pairs.
  Reg phi(Type type, std::span<const Operand> pairs, std::string_view name = {});
  Reg psi(Type type, std::span<const Operand> pairs, std::string_view name = {});

  // --- Memory ---------------------------------------------------------------------------------------
  Reg slot(Operand size, uint64_t align, std::string_view name = {});
  Reg ptradd(Operand base, Operand offset, std::string_view name = {});
  Reg ptrindex(Operand base, Operand index, int64_t scale, int64_t offset, std::string_view name = {});
  // align 0: natural.
  Reg load(Type type, Operand address, uint64_t align = 0, uint32_t flags = 0, std::string_view name = {});
  InstId store(Type type, Operand value, Operand address, uint64_t align = 0, uint32_t flags = 0);
  // memcpy, memmove, memset; va_start, va_copy, va_end.
  InstId effect(Opcode op, std::initializer_list<Operand> operands);

  // --- Control --------------------------------------------------------------------------------------
  // `result` none: no result, and the returned register is none.
  Reg call(Type result, Operand callee, std::span<const Operand> arguments, std::string_view name = {});
  InstId br(BlockId target);
  InstId br(Operand condition, BlockId then, BlockId otherwise);
  // (literal, block) pairs.
  InstId switch_on(Type type, Operand value, BlockId otherwise, std::span<const Operand> cases);
  InstId ret(Operand value = {});
  InstId unreachable();

  // Any record: adds it under the current guard and line, as it is.
  InstId append(Inst inst, std::span<const Operand> operands);

 private:
  Reg append_with_result(Inst inst, std::span<const Operand> operands, std::string_view name);
  Reg take_result(Type type, std::string_view name, int which = 0);

  Function& function_;
  BlockId block_;
  Guard guard_;
  uint32_t line_ = 0;
  Reg into_[2];
};

}  // namespace psi
