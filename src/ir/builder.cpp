#include "psi/builder.h"

#include <bit>
#include <vector>

namespace psi {
namespace {

Inst record(Opcode op, Type type = Type::none) {
  Inst inst;
  inst.op = op;
  inst.type = type;
  return inst;
}

uint8_t log2_align(uint64_t align) { return static_cast<uint8_t>(std::countr_zero(align)); }

}  // namespace

InstId Builder::append(Inst inst, std::span<const Operand> operands) {
  inst.guard = guard_;
  InstId id = function_.add_inst(inst, operands);
  if (line_ != 0) function_.set_line(id, line_);
  function_.append(block_, id);
  return id;
}

Reg Builder::take_result(Type type, std::string_view name, int which) {
  Reg result = into_[which];
  into_[which] = Reg();
  return result ? result : function_.add_reg(type, name);
}

Reg Builder::append_with_result(Inst inst, std::span<const Operand> operands, std::string_view name) {
  inst.results[0] = take_result(inst.result_type(), name);
  append(inst, operands);
  return inst.results[0];
}

Reg Builder::op(Opcode op, Type type, std::span<const Operand> operands, std::string_view name) {
  return append_with_result(record(op, type), operands, name);
}

Reg Builder::cmp(Cond cond, Type type, Operand a, Operand b, std::string_view name) {
  Inst inst = record(Opcode::Cmp, type);
  inst.set_cond(cond);
  return append_with_result(inst, std::array{a, b}, name);
}

std::pair<Reg, Reg> Builder::cmpp(Action first, Action second, Cond cond, Type type, Operand a, Operand b,
                                  Operand input, std::span<const Operand> old) {
  Inst inst = record(Opcode::Cmpp, type);
  inst.set_cond(cond);
  inst.set_actions(first, second);
  inst.results[0] = take_result(Type::i1, {});
  if (second != Action::none) inst.results[1] = take_result(Type::i1, {}, 1);
  std::vector<Operand> operands = {a, b, input};
  operands.insert(operands.end(), old.begin(), old.end());
  append(inst, operands);
  return {inst.results[0], inst.results[1]};
}

Reg Builder::convert(Opcode op, Type from, Type to, Operand a, std::string_view name) {
  Inst inst = record(op, to);
  inst.set_from(from);
  return append_with_result(inst, std::array{a}, name);
}

Reg Builder::phi(Type type, std::span<const Operand> pairs, std::string_view name) {
  return op(Opcode::Phi, type, pairs, name);
}

Reg Builder::psi(Type type, std::span<const Operand> pairs, std::string_view name) {
  return op(Opcode::Psi, type, pairs, name);
}

Reg Builder::slot(Operand size, uint64_t align, std::string_view name) {
  Inst inst = record(Opcode::Slot);
  inst.extra = log2_align(align);
  return append_with_result(inst, std::array{size}, name);
}

Reg Builder::ptradd(Operand base, Operand offset, std::string_view name) {
  return append_with_result(record(Opcode::PtrAdd), std::array{base, offset}, name);
}

Reg Builder::ptrindex(Operand base, Operand index, int64_t scale, int64_t offset, std::string_view name) {
  std::array operands{base, index, function_.literal(Type::i64, scale), function_.literal(Type::i64, offset)};
  return append_with_result(record(Opcode::PtrIndex), operands, name);
}

Reg Builder::load(Type type, Operand address, uint64_t align, uint32_t flags, std::string_view name) {
  Inst inst = record(Opcode::Load, type);
  inst.extra = log2_align(align ? align : byte_size(type));
  inst.flags = flags & 0xff;
  return append_with_result(inst, std::array{address}, name);
}

InstId Builder::store(Type type, Operand value, Operand address, uint64_t align, uint32_t flags) {
  Inst inst = record(Opcode::Store, type);
  inst.extra = log2_align(align ? align : byte_size(type));
  inst.flags = flags & 0xff;
  return append(inst, std::array{value, address});
}

InstId Builder::effect(Opcode op, std::initializer_list<Operand> operands) {
  return append(record(op), std::span(operands.begin(), operands.size()));
}

Reg Builder::call(Type result, Operand callee, std::span<const Operand> arguments, std::string_view name) {
  std::vector<Operand> operands = {callee};
  operands.insert(operands.end(), arguments.begin(), arguments.end());
  Inst inst = record(Opcode::Call, result);
  if (result != Type::none) return append_with_result(inst, operands, name);
  append(inst, operands);
  return Reg();
}

InstId Builder::br(BlockId target) { return append(record(Opcode::Br), std::array{Operand::block(target)}); }

InstId Builder::br(Operand condition, BlockId then, BlockId otherwise) {
  return append(record(Opcode::Br), std::array{condition, Operand::block(then), Operand::block(otherwise)});
}

InstId Builder::switch_on(Type type, Operand value, BlockId otherwise, std::span<const Operand> cases) {
  std::vector<Operand> operands = {value, Operand::block(otherwise)};
  operands.insert(operands.end(), cases.begin(), cases.end());
  return append(record(Opcode::Switch, type), operands);
}

InstId Builder::ret(Operand value) {
  if (value.is_none()) return append(record(Opcode::Ret), {});
  return append(record(Opcode::Ret), std::array{value});
}

InstId Builder::unreachable() { return append(record(Opcode::Unreachable), {}); }

}  // namespace psi
