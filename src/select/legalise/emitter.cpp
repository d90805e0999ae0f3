#include "select/legalise/emitter.h"

#include <algorithm>
#include <array>
#include <bit>
#include <optional>

#include "psi/ir/evaluate.h"

namespace psi::select {

bool Emitter::is_literal(Operand operand, uint64_t bits) const {
  return operand.is_literal() &&
         function_.literal_bits(operand) == (bits & function_.value_mask(operand.literal_type()));
}

Operand Emitter::op(Opcode op, std::initializer_list<Operand> operands) {
  Inst inst;
  inst.op = op;
  inst.type = type(*(operands.end() - 1));
  std::span<const Operand> list(operands.begin(), operands.size());
  return make(inst, list, info(op).format == Format::Overflow ? Type::i1 : inst.type);
}

Operand Emitter::make(const Inst& inst, std::span<const Operand> operands, Type result) {
  Operand known = fold(inst, operands);
  if (known.is_none() && computed_ && !guard_) known = computed_->find(inst, operands);
  return known.is_none() ? append(inst, operands, result) : known;
}

Operand Emitter::cmp(Cond cond, Two of) {
  Inst inst;
  inst.op = Opcode::Cmp;
  inst.type = type(of.a);
  inst.set_cond(cond);
  return make(inst, std::array{of.a, of.b}, Type::i1);
}

Operand Emitter::convert(Opcode op, Type to, Operand a) {
  Type from = type(a);
  if (from == to) return a;
  if (a.is_undef()) return Operand::undef(to);
  Inst inst;
  inst.op = op;
  inst.type = to;
  inst.set_from(from);
  return make(inst, std::array{a}, to);
}

Operand Emitter::freeze(Operand a) {
  if (a.is_literal() || a.is_symbol()) return a;
  Inst inst;
  inst.op = Opcode::Freeze;
  inst.type = type(a);
  return append(inst, std::array{a}, inst.type);
}

Operand Emitter::load(Type type, Operand address, uint64_t align, uint32_t flags) {
  Inst inst;
  inst.op = Opcode::Load;
  inst.type = type;
  inst.flags = flags & 0xff;
  inst.extra = static_cast<uint8_t>(std::countr_zero(align));
  return append(inst, std::array{address}, type);
}

void Emitter::store(Operand value, Operand address, uint64_t align, uint32_t flags) {
  Inst inst;
  inst.op = Opcode::Store;
  inst.type = type(value);
  inst.flags = flags & 0xff;
  inst.extra = static_cast<uint8_t>(std::countr_zero(align));
  append(inst, std::array{value, address});
}

Operand Emitter::advance(Operand address, uint64_t offset) {
  if (offset == 0) return address;
  Inst inst;
  inst.op = Opcode::PtrAdd;
  return append(inst, std::array{address, literal(function_.address_type(), offset)}, Type::ptr);
}

Operand Emitter::call(SymbolId callee, Type result, std::span<const Operand> arguments) {
  Inst inst;
  inst.op = Opcode::Call;
  inst.type = result;
  std::vector<Operand> operands = {Operand::symbol(callee)};
  operands.insert(operands.end(), arguments.begin(), arguments.end());
  if (result != Type::none) return append(inst, operands, result);
  append(inst, operands);
  return {};
}

Operand Emitter::append(Inst inst, std::span<const Operand> operands, Type result) {
  inst.results[0] = function_.add_reg(result);
  append(inst, operands);
  return inst.results[0];
}

InstId Emitter::append(Inst inst, std::span<const Operand> operands) {
  inst.guard = guard_;
  InstId id = function_.add_inst(inst, operands);
  if (origin_) function_.copy_place(origin_, id);
  out_.push_back(id);
  return id;
}

Operand Emitter::fold(const Inst& inst, std::span<const Operand> operands) {
  if (std::ranges::all_of(operands, [](Operand each) { return each.is_literal(); })) {
    std::vector<Value> values;
    for (Operand each : operands) values.push_back({function_.literal_bits(each), false});
    std::optional<Value> value = evaluate(inst, values, function_.pointer_bits);
    if (!value) return {};
    Type type = inst.result_type();
    return value->undef ? Operand::undef(type) : literal(type, value->bits);
  }
  return simplify(inst, operands);
}

Operand Emitter::simplify(const Inst& inst, std::span<const Operand> operands) {
  if (operands.size() < 2) return {};
  Operand a = operands[0], b = operands[1];
  uint64_t ones = UINT64_MAX;
  switch (inst.op) {
    case Opcode::Add:
    case Opcode::Or:
    case Opcode::Xor:
      if (is_literal(a, 0)) return b;
      if (is_literal(b, 0)) return a;
      if (inst.op == Opcode::Or && (is_literal(a, ones) || is_literal(b, ones))) {
        return literal(inst.type, ones);
      }
      return {};
    case Opcode::Sub:
    case Opcode::Shl:
    case Opcode::Lshr:
    case Opcode::Ashr:
      return is_literal(b, 0) ? a : Operand();
    case Opcode::And:
      if (is_literal(a, ones)) return b;
      if (is_literal(b, ones)) return a;
      if (is_literal(a, 0) || is_literal(b, 0)) return literal(inst.type, 0);
      return {};
    case Opcode::Mul:
      if (is_literal(a, 1)) return b;
      if (is_literal(b, 1)) return a;
      if (is_literal(a, 0) || is_literal(b, 0)) return literal(inst.type, 0);
      return {};
    case Opcode::Select:
      if (a.is_literal()) return is_literal(a, 1) ? b : operands[2];
      return b == operands[2] ? b : Operand();
    case Opcode::Cmp:
      if (is_float(inst.type)) return {};
      if (inst.cond() == Cond::ult && is_literal(b, 0)) return Operand::never();
      if (inst.cond() == Cond::uge && is_literal(b, 0)) return Operand::always();
      return {};
    default:
      return {};
  }
}

}  // namespace psi::select
