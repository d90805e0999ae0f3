#include "psi/ir/instruction_set.h"

#include <fmt/format.h>

#include <algorithm>

namespace psi {
namespace {

unsigned width_of(Type type, unsigned pointer_bits) {
  return type == Type::ptr ? pointer_bits : bit_width(type);
}

bool holds_any(std::span<const LiteralAlternative> alternatives, uint64_t bits, Type type) {
  return std::any_of(alternatives.begin(), alternatives.end(),
                     [&](const LiteralAlternative& each) { return each.holds(bits, type); });
}

}  // namespace

bool LiteralAlternative::holds(uint64_t bits, Type type) const {
  auto is_in = [&](int64_t value) {
    return min <= value && value <= max && (multiple <= 1 || value % static_cast<int64_t>(multiple) == 0);
  };
  if (is_in(sign_extend(bits, type))) return true;
  return static_cast<int64_t>(bits) >= 0 && is_in(static_cast<int64_t>(bits));
}

bool MachineOperand::takes(Type value, unsigned pointer_bits) const {
  return value != Type::none && width_of(value, pointer_bits) == width_of(type, pointer_bits);
}

Opcode MachineForm::opcode() const {
  switch (effect) {
    case Effect::Pure:
      return Opcode::MachinePure;
    case Effect::Trap:
      return Opcode::MachineTrap;
    case Effect::Read:
      return Opcode::MachineRead;
    case Effect::Write:
      return Opcode::MachineWrite;
    case Effect::Control:
      return Opcode::MachineControl;
  }
  return Opcode::MachineWrite;
}

uint32_t InstructionSet::add(MachineForm form) {
  uint32_t index = num_forms();
  by_name_[form.name].push_back(index);
  forms_.push_back(std::move(form));
  return index;
}

std::span<const uint32_t> InstructionSet::find(std::string_view name) const {
  auto it = by_name_.find(std::string(name));
  return it == by_name_.end() ? std::span<const uint32_t>() : std::span<const uint32_t>(it->second);
}

std::optional<uint32_t> InstructionSet::choose(std::string_view name, const Function& function,
                                               std::span<const Operand> operands, Guard guard,
                                               size_t num_results) const {
  for (uint32_t index : find(name)) {
    if (refusal(forms_[index], function, operands, guard, num_results).empty()) return index;
  }
  return std::nullopt;
}

std::string InstructionSet::refusal(const MachineForm& form, const Function& function,
                                    std::span<const Operand> operands, Guard guard,
                                    size_t num_results) const {
  auto text = [&] { return fmt::format("{}.{}", name_, form.name); };
  if (guard && !form.takes_guard) return fmt::format("{} takes no guard", text());
  if (guard && guard.is_negated() && !form.takes_negated_guard) {
    return fmt::format("{} takes no complement as its guard", text());
  }
  size_t named = form.operands.size();
  if (operands.size() < named || (operands.size() > named && !form.variable_operands)) {
    return fmt::format("{} takes {}{} operand{}, but has {}", text(),
                       form.variable_operands ? "at least " : "", named, named == 1 ? "" : "s",
                       operands.size());
  }
  size_t least = form.results.size(), most = least + (form.variable_result ? 1 : 0);
  if (num_results < least || num_results > most) {
    return fmt::format("{} has {} result{}, not {}", text(), most, most == 1 ? "" : "s", num_results);
  }
  for (size_t i = 0; i < operands.size(); ++i) {
    Operand operand = operands[i];
    auto refuse = [&](std::string_view why) {
      std::string name = i < named ? fmt::format(" (%{})", form.operands[i].name) : std::string();
      return fmt::format("operand {}{} of {} {}", i + 1, name, text(), why);
    };
    if (i >= named) {
      if (operand.is_block() || operand.is_negated() || operand.is_none()) return refuse("must be a value");
      continue;
    }
    const MachineOperand& wanted = form.operands[i];
    std::span<const LiteralAlternative> literals =
        guard && wanted.kind == MachineOperand::Kind::Literal ? wanted.guarded_literals : wanted.literals;
    switch (wanted.kind) {
      case MachineOperand::Kind::Block:
        if (!operand.is_block()) return refuse("must be a block");
        continue;
      case MachineOperand::Kind::Symbol:
        if (operand.is_symbol() || (operand.is_literal() && operand.literal_type() == Type::ptr)) continue;
        return refuse("must be a symbol");
      case MachineOperand::Kind::Literal:
        if (!operand.is_literal()) return refuse("must be a literal");
        break;
      case MachineOperand::Kind::Register:
        if (!operand.is_reg() && !operand.is_undef() && !operand.is_literal()) {
          return refuse("must be a register");
        }
        break;
    }
    if (Type actual = function.type(operand); !wanted.takes(actual, pointer_bits_)) {
      return refuse(fmt::format("is {}, but must be {} bits wide", type_name(actual),
                                width_of(wanted.type, pointer_bits_)));
    }
    if (!operand.is_literal() ||
        holds_any(literals, function.literal_bits(operand), function.as_bits(operand.literal_type()))) {
      continue;
    }
    if (wanted.kind == MachineOperand::Kind::Register) return refuse("must be a register");
    bool only_bare =
        guard && holds_any(wanted.literals, function.literal_bits(operand), operand.literal_type());
    return refuse(only_bare ? "is a literal that it does not take under a guard"
                            : "is a literal out of its range");
  }
  return {};
}

namespace {

// A form whose meaning is made step by step.
class FormMaker {
 public:
  FormMaker(std::string name, Type result) {
    form_.name = std::move(name);
    form_.is_boundary = true;
    form_.results.push_back({result, "d"});
    form_.meaning.body.form = Form::Ssa;
    block_ = form_.meaning.body.add_block("entry");
  }

  Reg operand(std::string name, Type type) {
    Function& body = form_.meaning.body;
    Reg reg = body.add_reg(type, name);
    body.params.push_back(reg);
    body.signature.params.push_back(type);
    form_.meaning.operands.push_back(reg);
    form_.meaning.targets.push_back(BlockId());
    MachineOperand operand;
    operand.type = type;
    operand.name = std::move(name);
    form_.operands.push_back(std::move(operand));
    return reg;
  }

  Reg convert(Opcode op, Type from, Type to, Operand operand) {
    Inst inst = make(op, to);
    inst.set_from(from);
    return add(inst, {operand});
  }
  Reg binary(Opcode op, Type type, Operand left, Operand right) { return add(make(op, type), {left, right}); }
  Operand literal(Type type, uint64_t bits) { return form_.meaning.body.literal(type, bits); }

  MachineForm finish(Reg result) {
    form_.meaning.results[0] = result;
    form_.meaning.body.set_name(result, "d");
    return std::move(form_);
  }

 private:
  static Inst make(Opcode op, Type type) {
    Inst inst;
    inst.op = op;
    inst.type = type;
    return inst;
  }
  Reg add(Inst inst, std::initializer_list<Operand> operands) {
    Function& body = form_.meaning.body;
    inst.results[0] = body.add_reg(inst.type);
    body.append(block_, body.add_inst(inst, std::span(operands.begin(), operands.size())));
    return inst.results[0];
  }

  MachineForm form_;
  BlockId block_;
};

MachineForm conversion(std::string_view name, Opcode op, Type from, Type to) {
  FormMaker maker(fmt::format("{}.{}.{}", name, type_name(from), type_name(to)), to);
  Reg a = maker.operand("a", from);
  return maker.finish(maker.convert(op, from, to, a));
}

MachineForm half(bool is_high) {
  FormMaker maker(is_high ? "hi" : "lo", Type::i32);
  Reg a = maker.operand("a", Type::i64);
  if (is_high) a = maker.binary(Opcode::Lshr, Type::i64, a, maker.literal(Type::i64, 32));
  return maker.finish(maker.convert(Opcode::Trunc, Type::i64, Type::i32, a));
}

MachineForm pair() {
  FormMaker maker("pair", Type::i64);
  Reg a = maker.operand("a", Type::i32);
  Reg b = maker.operand("b", Type::i32);
  Reg low = maker.convert(Opcode::Zext, Type::i32, Type::i64, a);
  Reg high = maker.convert(Opcode::Zext, Type::i32, Type::i64, b);
  Reg shifted = maker.binary(Opcode::Shl, Type::i64, high, maker.literal(Type::i64, 32));
  return maker.finish(maker.binary(Opcode::Or, Type::i64, low, shifted));
}

}  // namespace

void add_boundary_forms(InstructionSet& set) {
  set.add(half(false));
  set.add(half(true));
  set.add(pair());
  for (Type wide : {Type::i32, Type::i64}) {
    for (Type narrow : {Type::i1, Type::i8, Type::i16, Type::i32}) {
      if (narrow == wide) continue;
      set.add(conversion("widen", Opcode::Zext, narrow, wide));
      set.add(conversion("narrow", Opcode::Trunc, wide, narrow));
    }
  }
  for (auto [number, bits] : {std::pair(Type::f32, Type::i32), std::pair(Type::f64, Type::i64)}) {
    set.add(conversion("bits", Opcode::Bitcast, number, bits));
    set.add(conversion("bits", Opcode::Bitcast, bits, number));
  }
  Type address = set.pointer_bits() == 32 ? Type::i32 : Type::i64;
  set.add(conversion("bits", Opcode::Ptrtoint, Type::ptr, address));
  set.add(conversion("bits", Opcode::Inttoptr, address, Type::ptr));
}

}  // namespace psi
