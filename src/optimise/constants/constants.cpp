#include "optimise/constants/constants.h"

#include <algorithm>
#include <array>

#include "psi/ir/evaluate.h"
#include "psi/ir/views.h"

namespace psi::optimise {
namespace {

// The most operands of an instruction that `evaluate` of one instruction knows.
constexpr size_t kMaxOperands = 3;

Value as_value(Constant constant) { return {constant.bits, constant.is_undef()}; }

// Where one operand decides alone, whatever the other.
bool absorbs(Opcode op, Type type, Constant operand) {
  if (op == Opcode::And || op == Opcode::Mul || op == Opcode::Umin) return operand.is_number(0);
  return (op == Opcode::Or || op == Opcode::Umax) && operand.is_number(value_mask(type));
}

}  // namespace

Constant meet(Constant a, Constant b) {
  if (a.is_undef()) return b;
  if (b.is_undef() || a == b) return a;
  return Constant::varying();
}

// --- Memory -----------------------------------------------------------------------------------------

const std::vector<uint64_t>& ConstantMemory::starts(const Global& global) {
  auto [at, is_new] = starts_.try_emplace(global.symbol);
  if (is_new) {
    at->second.reserve(global.contents.size());
    uint64_t offset = 0;
    for (const Initialiser& piece : global.contents) {
      at->second.push_back(offset);
      offset += piece.size(module_.pointer_bits());
    }
  }
  return at->second;
}

Constant ConstantMemory::load(Type type, SymbolId symbol, uint64_t offset) {
  if (module_.kind(symbol) != SymbolKind::Global) return Constant::varying();
  const Global& global = module_.global(symbol);
  Type bits_type = as_bits(type, module_.pointer_bits());
  uint64_t size = byte_size(bits_type);
  if (!global.constant || global.external || offset >= global.size || size > global.size - offset) {
    return Constant::varying();
  }
  const std::vector<uint64_t>& starts = this->starts(global);
  size_t piece = static_cast<size_t>(std::ranges::upper_bound(starts, offset) - starts.begin()) - 1;
  uint64_t bits = 0;
  for (uint64_t i = 0; i < size; ++i) {
    while (piece < starts.size() &&
           offset + i >= starts[piece] + global.contents[piece].size(module_.pointer_bits()))
      ++piece;
    if (piece == starts.size()) return Constant::varying();
    const Initialiser& contents = global.contents[piece];
    uint64_t within = offset + i - starts[piece];
    if (contents.kind == Initialiser::Kind::Address) {
      if (type != Type::ptr || within != 0) return Constant::varying();
      return Constant::address(contents.symbol,
                               static_cast<uint64_t>(contents.addend) & value_mask(bits_type));
    }
    uint64_t byte = 0;
    if (contents.kind == Initialiser::Kind::Value) byte = contents.bits >> (8 * within) & 255;
    if (contents.kind == Initialiser::Kind::Bytes) byte = static_cast<uint8_t>(contents.bytes[within]);
    bits |= byte << (8 * i);
  }
  // An i1 takes a byte, 0 or 1.
  return bits <= value_mask(bits_type) ? Constant::known(bits) : Constant::varying();
}

// --- Instructions -----------------------------------------------------------------------------------

Constant ConstantEvaluation::evaluate(const Inst& inst, std::span<const Constant> operands) {
  switch (inst.format()) {
    case Format::Move:
      return operands[0];
    case Format::Psi:
      return psi(operands);
    case Format::Select:
      if (operands[0].is_varying()) return meet(operands[1], operands[2]);
      return operands[0].is_undef() ? Constant() : operands[operands[0].bits ? 1 : 2];
    case Format::Load:
      if (operands[0].is_undef() && !inst.has_flag(Inst::kVolatile)) return {};
      if (!operands[0].symbol || inst.has_flag(Inst::kVolatile)) return Constant::varying();
      return memory_.load(inst.type, operands[0].symbol, operands[0].bits);
    case Format::PtrAdd:
    case Format::PtrIndex: {
      if (operands[0].is_undef() || operands[1].is_undef()) return {};
      if (!operands[0].is_known() || !operands[1].is_number()) return Constant::varying();
      uint64_t scale = inst.op == Opcode::PtrIndex ? operands[2].bits : 1;
      uint64_t offset = inst.op == Opcode::PtrIndex ? operands[3].bits : 0;
      uint64_t mask = value_mask(address_type(pointer_bits_));
      return {Constant::Kind::Known, operands[0].symbol,
              (operands[0].bits + operands[1].bits * scale + offset) & mask};
    }
    case Format::Compare:
      return compare(inst, operands[0], operands[1]);
    case Format::Unary:
      // The result of a freeze of undef is chosen once its operand is certain to be undef.
      if (inst.op == Opcode::Freeze) return operands[0];
      return compute(inst, operands);
    case Format::Binary:
    case Format::Ternary:
    case Format::Overflow:
    case Format::Convert:
      return compute(inst, operands);
    default:
      return Constant::varying();
  }
}

// The rightmost argument whose guard is true. Where an undef guard is read, nothing follows.
Constant ConstantEvaluation::psi(std::span<const Constant> pairs) {
  Constant result;
  for (size_t i = pairs.size(); i > 0; i -= 2) {
    Constant guard = pairs[i - 2];
    if (guard.is_undef()) break;
    if (guard.is_number(0)) continue;
    result = meet(result, pairs[i - 1]);
    if (guard.is_known() || result.is_varying()) break;
  }
  return result;
}

Constant ConstantEvaluation::compare(const Inst& inst, Constant a, Constant b) const {
  bool is_equality = inst.cond() == Cond::eq || inst.cond() == Cond::ne;
  if (a.is_known() && b.is_known() && a.symbol && a.symbol == b.symbol && is_equality) {
    return Constant::known((a.bits == b.bits) == (inst.cond() == Cond::eq));
  }
  return compute(inst, std::array{a, b});
}

// Both values of a varying i1 are tried, so that one operand alone can decide logic.
Constant ConstantEvaluation::compute(const Inst& inst, std::span<const Constant> operands) const {
  std::array<Value, kMaxOperands> values;
  uint32_t varying = 0;  // a bit for each such operand
  for (size_t i = 0; i < operands.size(); ++i) {
    if (operands[i].is_known() && operands[i].symbol) return Constant::varying();
    values[i] = as_value(operands[i]);
    varying |= uint32_t{operands[i].is_varying()} << i;
  }
  auto result = [&] {
    std::optional<Value> value = psi::evaluate(inst, std::span(values).first(operands.size()), pointer_bits_);
    return value ? Constant::of(*value) : Constant();
  };
  if (!varying) {
    bool uses_addresses = inst.op == Opcode::Ptrtoint || inst.op == Opcode::Inttoptr;
    return uses_addresses && !operands[0].is_undef() ? Constant::varying() : result();
  }
  bool is_logic = inst.type == Type::i1 && (inst.format() == Format::Compare || inst.is_pure());
  if (is_logic && inst.format() != Format::Convert && operands.size() <= 2) {
    Constant all;
    for (uint32_t choice = 0; choice < 4; ++choice) {
      if ((choice & ~varying) != 0) continue;
      for (size_t i = 0; i < operands.size(); ++i) {
        if (varying >> i & 1) values[i] = {choice >> i & 1, false};
      }
      all = meet(all, result());
    }
    return all;
  }
  for (Constant operand : operands) {
    if (operand.is_undef()) return {};
    if (absorbs(inst.op, inst.type, operand)) return operand;
  }
  return Constant::varying();
}

Constant ConstantEvaluation::evaluate_target(const Inst& cmpp, int target,
                                             std::span<const Constant> operands) const {
  Action action = cmpp.action(target);
  Constant old = Constant::known(0);
  if (is_partial(action)) old = operands[old_value_operand(cmpp, target)];
  Inst compared = cmpp;
  compared.op = Opcode::Cmp;
  Constant condition = compare(compared, operands[0], operands[1]);
  std::array inputs = {operands[kCmppInput], condition, old};
  Constant all;
  for (uint32_t choice = 0; choice < 8; ++choice) {
    std::array<Value, 3> values;
    bool is_possible = true;
    for (size_t i = 0; i < 3; ++i) {
      bool bit = choice >> i & 1;
      values[i] = inputs[i].is_varying() ? Value{bit, false} : as_value(inputs[i]);
      is_possible &= inputs[i].is_varying() || !bit;
    }
    if (is_possible) all = meet(all, Constant::of(eval_action(action, values[0], values[1], values[2])));
  }
  return all;
}

}  // namespace psi::optimise
