// The walk, and what values become. In SSA form the parts of a result are whatever values were computed, so
// that no copies are left; in plain form they are registers that are written.
#include "select/legalise/types.h"

#include <fmt/format.h>

#include <algorithm>

#include "psi/ir/views.h"
#include "select/legalise/type_lowering.h"

namespace psi::select {

std::string legalise_types(const Module& module, Function& function, const Dominators& dominators,
                           const TargetFacts& facts, TypeCounts& counts, Remarks* remarks, InstId& culprit) {
  TypeLowering lowering(module, function, facts, counts, remarks);
  lowering.reuse(dominators, facts.held());
  std::string failure = lowering.run();
  culprit = lowering.culprit();
  return failure;
}

TypeLowering::TypeLowering(const Module& module, Function& function, const TargetFacts& facts,
                           TypeCounts& counts, Remarks* remarks)
    : Rewriter(function, remarks), module_(module), facts_(facts), counts_(counts), split_(emitter_) {}

std::string TypeLowering::run() {
  make_parts();
  if (!failure_.empty()) return failure_;
  std::vector<InstId> insts;
  bool is_entry = true;
  for (BlockId block : function_.layout()) {
    std::span<const InstId> list = function_.insts(block);
    insts.assign(list.begin(), list.end());
    out_.clear();
    start_block(block);
    if (is_entry) enter();
    is_entry = false;
    for (InstId id : insts) {
      lower(id);
      note_computed(group_start_);
      if (!failure_.empty()) return failure_;
    }
    function_.set_insts(block, out_);
  }
  resolve_all();
  return {};
}

void TypeLowering::make_parts() {
  uint32_t num_regs = function_.num_regs();
  types_.resize(num_regs);
  parts_.resize(num_regs);
  for (uint32_t i = 0; i < num_regs; ++i) {
    Reg reg(i);
    Type type = types_[i] = function_.type(reg);
    Carrier how = carrier(type);
    auto part = [&](std::string_view suffix) {
      std::string_view name = function_.name(reg);
      std::string full = name.empty() ? std::string() : fmt::format("{}{}", name, suffix);
      return function_.add_reg(how.type, full);
    };
    switch (how.kind) {
      case Carrier::Kind::Same:
        parts_[i] = {reg, {}};
        break;
      case Carrier::Kind::Wide:
        parts_[i] = {part(".wide"), {}};
        ++counts_.promoted;
        break;
      case Carrier::Kind::Split: {
        Reg lo = part(".lo");
        parts_[i] = {lo, part(".hi")};
        ++counts_.split;
        break;
      }
      case Carrier::Kind::None:
        return fail(fmt::format("no register holds values of type {}", type_name(type)));
    }
  }
}

// Parameters keep their types.
void TypeLowering::enter() {
  begin({});
  for (Reg param : function_.params) {
    Type type = types_[param.index()];
    if (changes_at_boundary(type)) bind(param, from_boundary(param, type));
  }
}

// --- Values -----------------------------------------------------------------------------------------------

Type TypeLowering::type_of(Operand operand) const {
  if (operand.reads_reg() && !is_new(operand.reg())) return types_[operand.reg().index()];
  return function_.type(operand);
}

TypeLowering::Parts TypeLowering::parts(Operand operand) {
  if (operand.is_reg()) {
    if (is_new(operand.reg())) return {operand, {}};
    Parts value = parts_[operand.reg().index()];
    value.lo = resolve(value.lo);
    if (!value.hi.is_none()) value.hi = resolve(value.hi);
    return value;
  }
  Type type = operand.is_symbol() ? Type::ptr : function_.type(operand);
  Carrier how = carrier(type);
  if (how.kind == Carrier::Kind::Same || operand.is_symbol()) return {operand, {}};
  if (operand.is_undef()) {
    Operand undef = Operand::undef(how.type);
    return {undef, how.kind == Carrier::Kind::Split ? undef : Operand()};
  }
  uint64_t bits = function_.literal_bits(operand);
  if (how.kind == Carrier::Kind::Split) return split_.literal(bits);
  return {emitter_.literal(how.type, static_cast<uint64_t>(sign_extend(bits, type))), {}};
}

void TypeLowering::bind(Reg result, Parts value) {
  Parts to = parts_[result.index()];
  if (to.hi.is_none()) return Rewriter::bind(to.lo.reg(), value.lo);
  // The upper half may be what was the lower one.
  if (!is_ssa() && value.hi == to.lo) {
    if (value.lo == to.hi) {
      Inst mov;
      mov.op = Opcode::Mov;
      mov.type = emitter_.type(value.lo);
      value.lo = emitter_.append(mov, std::array{value.lo}, mov.type);
    }
    pending_ = value.lo;
    Rewriter::bind(to.hi.reg(), value.hi);
    pending_ = {};
    return Rewriter::bind(to.lo.reg(), value.lo);
  }
  pending_ = value.hi;
  Rewriter::bind(to.lo.reg(), value.lo);
  pending_ = {};
  Rewriter::bind(to.hi.reg(), value.hi);
}

Operand TypeLowering::with_bits(Operand value, unsigned zero, unsigned sign) {
  if (value.is_reg() && is_new(value.reg())) {
    if (known_.size() <= value.reg().index()) known_.resize(function_.num_regs());
    Known& known = known_[value.reg().index()];
    known.zero = std::min(known.zero, static_cast<uint8_t>(zero));
    known.sign = std::min(known.sign, static_cast<uint8_t>(sign));
  }
  return value;
}

unsigned TypeLowering::zero_bits(Operand value) const {
  return value.is_reg() && value.reg().index() < known_.size() ? known_[value.reg().index()].zero : 64;
}
unsigned TypeLowering::sign_bits(Operand value) const {
  if (!value.is_reg() || value.reg().index() >= known_.size()) return 64;
  const Known& known = known_[value.reg().index()];
  return std::min<unsigned>(known.sign, known.zero + 1u);
}

Operand TypeLowering::zero_extended(Operand value, unsigned bits) {
  Type wide = emitter_.type(value);
  if (bits >= bit_width(wide) || zero_bits(value) <= bits || value.is_undef()) return value;
  Type narrow = bits == 8 ? Type::i8 : bits == 16 ? Type::i16 : Type::i32;
  if (!value.is_literal() && facts_.extends_in_register(Opcode::Zext, narrow, wide)) {
    value = emitter_.convert(Opcode::Trunc, narrow, value);
    value = emitter_.convert(Opcode::Zext, wide, value);
  } else {
    value = emitter_.and_({value, emitter_.literal(wide, (uint64_t{1} << bits) - 1)});
  }
  return with_bits(value, bits, 64);
}

Operand TypeLowering::sign_extended(Operand value, unsigned bits) {
  Type wide = emitter_.type(value);
  if (bits >= bit_width(wide) || sign_bits(value) <= bits || value.is_undef()) return value;
  Type narrow = bits == 8 ? Type::i8 : bits == 16 ? Type::i16 : Type::i32;
  if (!value.is_literal() && facts_.extends_in_register(Opcode::Sext, narrow, wide)) {
    value = emitter_.convert(Opcode::Trunc, narrow, value);
    value = emitter_.convert(Opcode::Sext, wide, value);
  } else {
    unsigned rest = bit_width(wide) - bits;
    value = emitter_.ashr(emitter_.shl(value, rest), rest);
  }
  return with_bits(value, 64, bits);
}

TypeLowering::Parts TypeLowering::int_convert(Parts value, Type from, Type to, bool is_signed) {
  Carrier how = carrier(to);
  unsigned bits = bit_width(from);
  if (from == to) return value;
  if (to < from) {
    if (to == Type::i1) return {emitter_.convert(Opcode::Trunc, to, value.lo), {}};
    Type have = emitter_.type(value.lo);
    if (have == how.type) return {value.lo, {}};
    return {emitter_.convert(have > how.type ? Opcode::Trunc : Opcode::Zext, how.type, value.lo), {}};
  }
  Opcode op = is_signed ? Opcode::Sext : Opcode::Zext;
  Operand low = value.lo;
  if (from == Type::i1) {
    low = emitter_.convert(op, how.type, low);
    low = is_signed ? with_bits(low, 64, 1) : with_bits(low, 1, 64);
    Operand high = is_signed ? low : emitter_.literal(how.type, 0);
    return {low, how.kind == Carrier::Kind::Split ? high : Operand()};
  }
  low = is_signed ? sign_extended(low, bits) : zero_extended(low, bits);
  Operand extended = emitter_.type(low) < how.type ? emitter_.convert(op, how.type, low) : low;
  if (how.kind != Carrier::Kind::Split) return {extended, {}};
  Operand high = is_signed ? emitter_.ashr(extended, 31) : emitter_.literal(how.type, 0);
  return {extended, high};
}

TypeLowering::Parts TypeLowering::bits_of(Parts number, Type type) {
  if (!is_same(type)) return number;
  Type bits = type == Type::f32 ? Type::i32 : Type::i64;
  Operand cast = emitter_.convert(Opcode::Bitcast, bits, number.lo);
  return is_same(bits) ? Parts{cast, {}} : from_boundary(cast, bits);
}

TypeLowering::Parts TypeLowering::number_of(Parts bits, Type type) {
  if (!is_same(type)) return bits;
  Type integer = type == Type::f32 ? Type::i32 : Type::i64;
  Operand whole = is_same(integer) ? bits.lo : to_boundary(bits, integer);
  return {emitter_.convert(Opcode::Bitcast, type, whole), {}};
}

// --- The boundary -----------------------------------------------------------------------------------------

TypeLowering::Parts TypeLowering::from_boundary(Operand value, Type type) {
  if (!changes_at_boundary(type)) return {value, {}};
  if (is_float(type)) {
    Type bits = type == Type::f32 ? Type::i32 : Type::i64;
    return from_boundary(emitter_.convert(Opcode::Bitcast, bits, value), bits);
  }
  Carrier how = carrier(type);
  if (how.kind == Carrier::Kind::Same) return {value, {}};
  if (how.kind == Carrier::Kind::Wide) {
    return {with_bits(emitter_.convert(Opcode::Zext, how.type, value), bit_width(type), 64), {}};
  }
  Operand lo = emitter_.convert(Opcode::Trunc, how.type, value);
  return {lo, emitter_.convert(Opcode::Trunc, how.type, emitter_.lshr(value, 32))};
}

Operand TypeLowering::to_boundary(Operand operand) {
  Type type = type_of(operand);
  bool is_constant = operand.is_literal() || operand.is_undef() || operand.is_symbol();
  if (is_constant || !changes_at_boundary(type)) return is_constant ? operand : one(operand);
  return to_boundary(parts(operand), type);
}

Operand TypeLowering::to_boundary(Parts value, Type type) {
  if (!changes_at_boundary(type)) return value.lo;
  if (is_float(type)) {
    Type bits = type == Type::f32 ? Type::i32 : Type::i64;
    return emitter_.convert(Opcode::Bitcast, type, to_boundary(value, bits));
  }
  Carrier how = carrier(type);
  if (how.kind == Carrier::Kind::Same) return value.lo;
  if (how.kind == Carrier::Kind::Wide) {
    return emitter_.convert(Opcode::Trunc, type, zero_extended(value.lo, bit_width(type)));
  }
  Operand low = emitter_.convert(Opcode::Zext, type, value.lo);
  Operand high = emitter_.convert(Opcode::Zext, type, value.hi);
  if (value.lo.is_literal() && value.hi.is_literal()) return emitter_.or_({low, emitter_.shl(high, 32)});
  // The shape has all of its instructions, whatever is known of the halves.
  auto make = [&](Opcode op, Operand a, Operand b) {
    Inst inst;
    inst.op = op;
    inst.type = type;
    return emitter_.append(inst, std::array{a, b}, type);
  };
  return make(Opcode::Or, low, make(Opcode::Shl, high, emitter_.literal(type, 32)));
}

// --- Instructions -----------------------------------------------------------------------------------------

void TypeLowering::lower(InstId id) {
  const Inst inst = function_.inst(id);
  std::span<const Operand> list = std::as_const(function_).operands(id);
  std::vector<Operand> operands(list.begin(), list.end());
  begin(id);
  switch (inst.format()) {
    case Format::Binary:
    case Format::Unary:
    case Format::Ternary:
      if (inst.op == Opcode::Freeze) return lower_merge(inst, operands);
      return is_float(inst.type) ? lower_float(inst, operands) : lower_integer(inst, operands);
    case Format::Overflow:
      return lower_integer(inst, operands);
    case Format::Compare:
      return lower_compare(inst, operands);
    case Format::Convert:
      return lower_convert(inst, operands);
    case Format::Move:
    case Format::Phi:
    case Format::Psi:
      return lower_merge(inst, operands);
    case Format::Select:
      return lower_select(inst, operands);
    case Format::Load:
      return lower_load(inst, one(operands[0]));
    case Format::Store:
      return lower_store(inst, operands[0], one(operands[1]));
    default:
      return lower_call(inst, operands);
  }
}

void TypeLowering::lower_merge(const Inst& inst, std::span<const Operand> operands) {
  if (is_same(inst.type)) return keep(operands);
  bool pairs = inst.is_phi() || inst.is_psi();
  bool two = is_split(inst.type);
  Parts result = parts_[inst.results[0].index()];
  std::vector<Operand> low, high;
  for (size_t i = 0; i < operands.size(); ++i) {
    if (pairs && i % 2 == 0) {
      low.push_back(resolve(operands[i])), high.push_back(resolve(operands[i]));
      continue;
    }
    Parts value = parts(operands[i]);
    low.push_back(value.lo), high.push_back(value.hi);
  }
  Inst part = inst;
  part.type = carrier(inst.type).type;
  if (pairs) {
    // They may be read before they are reached, so they are the parts themselves.
    part.results[0] = result.lo.reg();
    emitter_.append(part, low);
    part.results[0] = result.hi.is_none() ? Reg() : result.hi.reg();
    if (two) emitter_.append(part, high);
    return;
  }
  if (inst.op == Opcode::Mov) return bind(inst.results[0], {low[0], two ? high[0] : Operand()});
  Operand lo = emitter_.freeze(low[0]);
  bind(inst.results[0], {lo, two ? emitter_.freeze(high[0]) : Operand()});
}

void TypeLowering::lower_select(const Inst& inst, std::span<const Operand> operands) {
  if (is_same(inst.type)) return keep(operands);
  Operand predicate = resolve(operands[0]);
  Parts a = parts(operands[1]), b = parts(operands[2]);
  Operand lo = emitter_.select({predicate, a.lo, b.lo});
  bind(inst.results[0], {lo, a.hi.is_none() ? Operand() : emitter_.select({predicate, a.hi, b.hi})});
}

// What is left keeps its operands and results at the boundary: calls, returns, and what takes numbers of the
// pointers' width.
void TypeLowering::lower_call(const Inst& inst, std::span<const Operand> operands) {
  emitter_.guard(inst.guard);
  std::vector<Operand> given;
  for (Operand operand : operands) {
    bool crosses = operand.is_reg() && changes_at_boundary(type_of(operand));
    given.push_back(crosses ? to_boundary(operand) : resolve(operand));
  }
  if (inst.num_results() != 1 || !changes_at_boundary(types_[inst.results[0].index()])) {
    return keep(given);
  }
  Type type = types_[inst.results[0].index()];
  Operand result = emitter_.append(inst, given, type);
  bind(inst.results[0], from_boundary(result, type));
}

}  // namespace psi::select
