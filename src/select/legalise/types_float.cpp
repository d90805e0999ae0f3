// Floating-point operations that the target lacks, or on numbers that its registers do not hold: signs are
// bits, the rest are calls of routines.
#include <fmt/format.h>

#include <array>

#include "select/legalise/type_lowering.h"

namespace psi::select {

void TypeLowering::lower_float(const Inst& inst, std::span<const Operand> operands) {
  if (is_same(inst.type) && facts_.covers(function_, inst, operands)) return keep(operands);
  if (inst.op != Opcode::Fneg && inst.op != Opcode::Fabs && inst.op != Opcode::CopySign) {
    std::vector<Parts> values;
    for (Operand operand : operands) values.push_back(parts(operand));
    return bind(inst.results[0], call_routine(routine_for(inst.op, inst.type), values));
  }
  // The sign is a bit of the only part, or of the upper half.
  Parts bits = bits_of(parts(operands[0]), inst.type);
  Operand& top = bits.hi.is_none() ? bits.lo : bits.hi;
  Type word = emitter_.type(top);
  unsigned width = bits.hi.is_none() ? bit_width(inst.type) : 32;
  uint64_t sign = uint64_t{1} << (width - 1);
  Operand rest = emitter_.literal(word, sign - 1), mask = emitter_.literal(word, sign);
  if (inst.op == Opcode::Fneg) top = emitter_.xor_({top, mask});
  if (inst.op == Opcode::Fabs) top = emitter_.and_({top, rest});
  if (inst.op == Opcode::CopySign) {
    Parts other = bits_of(parts(operands[1]), inst.type);
    Operand from = emitter_.and_({other.hi.is_none() ? other.lo : other.hi, mask});
    top = emitter_.or_({emitter_.and_({top, rest}), from});
  }
  bind(inst.results[0], number_of(bits, inst.type));
}

// A condition, by what a routine returns compared with 0. `fult` holds where `foge` does not, and so on.
Operand TypeLowering::float_compare(const Inst& inst, std::span<const Operand> operands) {
  Cond cond = inst.cond();
  auto by = [&](Cond routine, bool negated) {
    Cond holds = routine_for(routine, inst.type)->int_cond();
    return compare_by_routine(routine, negated ? negate(holds) : holds, inst, operands);
  };
  switch (cond) {
    case Cond::fone:
      return emitter_.or_({by(Cond::folt, false), by(Cond::fogt, false)});
    case Cond::fueq:
      return emitter_.or_({by(Cond::foeq, false), by(Cond::funo, false)});
    case Cond::foeq:
    case Cond::fune:
    case Cond::folt:
    case Cond::fole:
    case Cond::fogt:
    case Cond::foge:
    case Cond::funo:
      return by(cond, false);
    default:
      return by(negate(cond), true);
  }
}

Operand TypeLowering::compare_by_routine(Cond cond, Cond holds, const Inst& inst,
                                         std::span<const Operand> operands) {
  std::array values = {parts(operands[0]), parts(operands[1])};
  Operand result = sign_extended(call_routine(routine_for(cond, inst.type), values).lo, 32);
  return emitter_.cmp(holds, {result, emitter_.literal(emitter_.type(result), 0)});
}

void TypeLowering::lower_float_convert(const Inst& inst, Operand operand) {
  Type from = inst.from(), to = inst.type;
  Type number = is_float(from) ? from : to;
  Type integer = is_int(from) ? from : to;
  bool both_numbers = is_float(from) && is_float(to);
  // By an integer that is not too narrow for a routine, and held.
  Type by = both_numbers ? number : integer == Type::i64 ? Type::i64 : facts_.word();
  Inst other = inst;
  if (is_int(from)) other.set_from(by);
  if (is_int(to)) other.type = by;
  Parts value = parts(operand);
  if (is_int(from)) value = int_convert(value, from, by, inst.op == Opcode::Sitofp);
  bool is_held = is_same(other.from()) && is_same(other.type);
  Parts result;
  if (is_held && facts_.covers(inst.op, other.type, other.kind)) {
    result = {emitter_.convert(inst.op, other.type, value.lo), {}};
  } else {
    result = call_routine(routine_for(inst.op, other.type, other.from()), std::array{value});
  }
  if (is_int(to)) result = int_convert(result, by, to, false);
  bind(inst.results[0], result);
}

// Where an operand is undef, so is the result of an operation; an argument must not be.
TypeLowering::Parts TypeLowering::call_routine(const RuntimeRoutine* routine,
                                               std::span<const Parts> operands) {
  if (!routine) {
    fail(fmt::format("no routine stands for {}", info(function_.inst(emitter_.origin()).op).name));
    return {Operand::undef(facts_.word()), {}};
  }
  std::optional<SymbolId> callee = module_.find_symbol(routine->name);
  bool is_declared = callee && module_.kind(*callee) == SymbolKind::Function;
  if (is_declared) {
    const Signature& signature = module_.function(*callee).signature;
    is_declared = signature.result == routine->result() && signature.params.size() == operands.size();
    for (Type type : signature.params) is_declared &= type == routine->operand();
  }
  if (!is_declared) {
    fail(fmt::format("the module does not declare the routine ${}, or has another of that name",
                     routine->name));
    return {Operand::undef(facts_.word()), {}};
  }
  ++counts_.calls;
  remark(fmt::format("a call of ${}", routine->name));
  std::vector<Parts> values(operands.begin(), operands.end());
  emitter_.guard({});
  for (Parts& value : values) {
    value.lo = emitter_.freeze(value.lo);
    if (!value.hi.is_none()) value.hi = emitter_.freeze(value.hi);
  }
  emitter_.guard(guard_);
  std::vector<Operand> arguments;
  for (Parts value : values) arguments.push_back(to_boundary(value, routine->operand()));
  Operand result = emitter_.call(*callee, routine->result(), arguments);
  Parts value = from_boundary(result, routine->result());
  emitter_.guard({});
  return value;
}

}  // namespace psi::select
