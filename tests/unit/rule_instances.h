// Programs that match the patterns of rules: one function of one block, whose parameters are the variables.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <optional>
#include <string>
#include <vector>

#include "optimise/algebra/rules.h"
#include "psi/ir/builder.h"
#include "psi/ir/evaluate.h"
#include "psi/ir/module.h"
#include "psi/ir/opcode.h"
#include "testing/random.h"

namespace psi::testing {

// The ends of the type's range and what is next to them, small numbers, and single bits.
inline std::vector<uint64_t> interesting_values(Type type) {
  if (is_float(type)) {
    bool wide = type == Type::f64;
    std::vector<uint64_t> values;
    for (double value :
         {0.0, -0.0, 1.0, -1.0, 0.5, 2.0, 1.5, 3.0, 1e30, 1e-42, 1.0 / 0.0, 7.25, 16777217.0}) {
      values.push_back(wide ? std::bit_cast<uint64_t>(value)
                            : std::bit_cast<uint32_t>(static_cast<float>(value)));
    }
    values.push_back(wide ? kNan64 : kNan32);
    values.push_back((wide ? kNan64 : kNan32) | 5);
    values.push_back((wide ? kNan64 : kNan32) | uint64_t{1} << (bit_width(type) - 1));
    return values;
  }
  uint64_t mask = value_mask(type), top = uint64_t{1} << (bit_width(type) - 1);
  std::vector<uint64_t> values;
  for (uint64_t value :
       {uint64_t{0},   uint64_t{1},   mask,          top,          top - 1,          uint64_t{2},
        uint64_t{3},   mask - 1,      top + 1,       uint64_t{4},  uint64_t{7},      uint64_t{8},
        uint64_t{15},  uint64_t{16},  uint64_t{31},  uint64_t{32}, uint64_t{63},     uint64_t{64},
        uint64_t{127}, uint64_t{128}, uint64_t{255}, uint64_t{24}, uint64_t{0xff00}, mask / 3,
        mask - 7,      top >> 1}) {
    if (std::find(values.begin(), values.end(), value & mask) == values.end()) values.push_back(value & mask);
  }
  return values;
}

// Builds the pattern of a rule with types and literals by chance. Variables whose known bits the rule asks
// for are masked, those whose NaNs it asks for are computed.
class RuleInstance {
 public:
  RuleInstance(const optimise::Rule& rule, Random& random, uint8_t pointer_bits)
      : rule_(rule), random_(random), builder_(function) {
    function.pointer_bits = pointer_bits;
  }

  Function function;

  // False if the types drawn do not fit; try again.
  bool build() {
    function.form = Form::Ssa;
    builder_.at(function.add_block());
    cond_ = pick_cond();
    for (const optimise::RuleStep& step : rule_.condition) {
      if (step.kind == optimise::RuleStep::Kind::Zeros || step.kind == optimise::RuleStep::Kind::Ones) {
        asks_bits_[step.variable] = true;
      }
      if (step.kind == optimise::RuleStep::Kind::IsCanonical) asks_nan_[step.variable] = true;
    }
    Type type = pick_type();
    Operand result = build(rule_.nodes[rule_.pattern], type, true);
    if (failed_ || !result.is_reg()) return false;
    function.signature.result = function.type(result.reg());
    function.signature.params.clear();
    for (Reg param : function.params) function.signature.params.push_back(function.type(param));
    builder_.ret(result);
    root = function.insts(function.entry())[function.insts(function.entry()).size() - 2];
    return true;
  }
  InstId root;

 private:
  using Kind = optimise::RuleNode::Kind;

  Type pick_type() {
    constexpr std::array kTypes = {Type::i8,  Type::i8,  Type::i8,  Type::i1,  Type::i16,
                                   Type::i32, Type::i64, Type::f32, Type::f64, Type::ptr};
    return kTypes[random_.below(static_cast<uint32_t>(kTypes.size()))];
  }
  Cond pick_cond() { return static_cast<Cond>(random_.below(kNumConds)); }
  Operand fail() {
    failed_ = true;
    return Operand::undef(Type::i8);
  }

  Operand literal(Type type) {
    if (type == Type::ptr) return function.literal(type, uint64_t{0});
    std::vector<uint64_t> values = interesting_values(type);
    uint64_t bits = random_.below(4) == 0 ? random_.below(256)
                                          : values[random_.below(static_cast<uint32_t>(values.size()))];
    // Amounts of shifts are small, and often meant to be the same.
    if (is_int(type) && random_.below(3) == 0) bits = random_.below(bit_width(type));
    return function.literal(type, bits);
  }

  Operand variable(uint8_t which, Type type, bool is_literal) {
    Operand& bound = bound_[which];
    if (bound.is_none()) {
      if (is_literal) {
        bound = literal(type);
        // Pairs of literals that differ by little, or add up to the width.
        if (last_literal_ && random_.below(2) == 0 && is_int(type)) {
          uint64_t near[] = {*last_literal_, *last_literal_ + 1, *last_literal_ - 1,
                             bit_width(type) - *last_literal_, ~*last_literal_};
          bound = function.literal(type, near[random_.below(5)]);
        }
        last_literal_ = function.literal_bits(bound);
      } else {
        Reg param = function.add_reg(type);
        function.params.push_back(param);
        bound = Operand::reg(param);
        if (asks_bits_[which] && is_int(type) && type != Type::i1) {
          Opcode op = random_.below(3) ? Opcode::And : Opcode::Or;
          bound = Operand::reg(builder_.op(op, type, {bound, literal(type)}));
        }
        if (asks_nan_[which])
          bound = Operand::reg(builder_.op(Opcode::Fadd, type, {bound, function.literal(type, uint64_t{0})}));
      }
    }
    return function.type(bound) == type ? bound : fail();
  }

  Operand build(const optimise::RuleNode& node, Type type, bool is_root = false) {
    switch (node.kind) {
      case Kind::Operand:
        return variable(node.variable, type, false);
      case Kind::Literal:
        return variable(node.variable, type, true);
      case Kind::Number:
        if (type == Type::f32)
          return function.literal(type, uint64_t{std::bit_cast<uint32_t>(static_cast<float>(node.number))});
        if (type == Type::f64)
          return function.literal(type, std::bit_cast<uint64_t>(static_cast<double>(node.number)));
        if (type == Type::ptr && node.number != 0) return fail();
        return function.literal(type, node.number);
      default:
        return build_inst(node, type, is_root);
    }
  }

  Operand build_inst(const optimise::RuleNode& node, Type type, bool is_root) {
    if (failed_) return fail();
    auto child = [&](size_t i) -> const optimise::RuleNode& { return rule_.nodes[node.children[i]]; };
    Format format = info(node.op).format;
    Operand result;
    switch (format) {
      case Format::Compare: {
        if (!is_root && type != Type::i1) return fail();
        Type of = is_root ? type : pick_type();
        if (!is_root && node.cond_class != optimise::CondClass::Float && random_.below(2)) of = Type::i8;
        Cond cond = node.cond_class == optimise::CondClass::Fixed ? node.cond : cond_;
        if (is_float_cond(cond) != is_float(of)) return fail();
        Operand a = build(child(0), of), b = build(child(1), of);
        if (failed_) return fail();
        result = Operand::reg(builder_.cmp(cond, of, a, b));
        break;
      }
      case Format::Convert: {
        Type from = pick_type();
        if (!converts(node.op, from, type)) return fail();
        Operand a = build(child(0), from);
        if (failed_) return fail();
        result = Operand::reg(builder_.convert(node.op, from, type, a));
        break;
      }
      case Format::PtrAdd:
      case Format::PtrIndex: {
        if (type != Type::ptr) return fail();
        Operand base = build(child(0), Type::ptr);
        std::array<Operand, 3> rest;
        for (size_t i = 1; i < node.num_children; ++i) rest[i - 1] = build(child(i), function.address_type());
        if (failed_) return fail();
        if (format == Format::PtrAdd) {
          result = Operand::reg(builder_.ptradd(base, rest[0]));
        } else {
          result = Operand::reg(builder_.ptrindex(base, rest[0], function.literal_signed(rest[1]),
                                                  function.literal_signed(rest[2])));
        }
        break;
      }
      default: {
        bool allowed = info(node.op).types == TypeSet::Any ||
                       (info(node.op).types == TypeSet::Int ? is_int(type) : is_float(type));
        if (format == Format::Overflow) allowed = is_root && is_int(type);
        if (!is_root && format == Format::Overflow && type == Type::i1) allowed = true;
        if (!allowed || (node.op == Opcode::Bswap && bit_width(type) < 16)) return fail();
        Type of = !is_root && format == Format::Overflow ? Type::i8 : type;
        std::vector<Operand> operands;
        for (size_t i = 0; i < node.num_children; ++i) {
          operands.push_back(build(child(i), format == Format::Select && i == 0 ? Type::i1 : of));
        }
        if (failed_) return fail();
        result = Operand::reg(builder_.op(node.op, of, operands));
      }
    }
    if (node.variable != optimise::RuleNode::kNone) {
      if (!bound_[node.variable].is_none()) return fail();
      bound_[node.variable] = result;
    }
    return result;
  }

  const optimise::Rule& rule_;
  Random& random_;
  Builder builder_;
  Cond cond_ = Cond::eq;
  bool failed_ = false;
  std::optional<uint64_t> last_literal_;
  std::array<Operand, optimise::Rule::kMaxVariables> bound_;
  std::array<bool, optimise::Rule::kMaxVariables> asks_bits_ = {};
  std::array<bool, optimise::Rule::kMaxVariables> asks_nan_ = {};
};

// The result of a function of one block that only computes; nothing where that is undefined behaviour.
class StraightRun {
 public:
  explicit StraightRun(const Function& function) : function_(function), values_(function.num_regs()) {}

  std::optional<Value> operator()(std::span<const uint64_t> arguments) {
    for (size_t i = 0; i < arguments.size(); ++i)
      values_[function_.params[i].index()] = {arguments[i], false};
    for (InstId id : function_.insts(function_.entry())) {
      const Inst& inst = function_.inst(id);
      size_t count = 0;
      bool undef = false;
      for (Operand operand : function_.operands(id)) {
        operands_[count++] = value(operand);
        undef |= operands_[count - 1].undef;
      }
      if (inst.op == Opcode::Ret) return operands_[0];
      uint64_t a = operands_[0].bits, mask = function_.value_mask(Type::ptr);
      Value& result = values_[inst.results[0].index()];
      switch (inst.op) {
        case Opcode::PtrAdd:
          result = {(a + operands_[1].bits) & mask, undef};
          break;
        case Opcode::PtrIndex:
          result = {(a + operands_[1].bits * operands_[2].bits + operands_[3].bits) & mask, undef};
          break;
        case Opcode::Ptrtoint:
        case Opcode::Inttoptr:
          result = {a & function_.value_mask(inst.type), undef};
          break;
        default: {
          std::optional<Value> computed =
              evaluate(inst, std::span(operands_).first(count), function_.pointer_bits);
          if (!computed) return std::nullopt;
          result = *computed;
        }
      }
    }
    return std::nullopt;
  }

 private:
  Value value(Operand operand) const {
    if (operand.is_reg()) return values_[operand.reg().index()];
    if (operand.is_literal()) return {function_.literal_bits(operand), false};
    return {0, true};
  }

  const Function& function_;
  std::vector<Value> values_;
  std::array<Value, 4> operands_;
};

}  // namespace psi::testing
