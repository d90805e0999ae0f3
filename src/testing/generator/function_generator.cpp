#include "testing/generator/function_generator.h"

#include <fmt/format.h>

#include <algorithm>

namespace psi::testing {
namespace {

// Calls of itself that a recursive function may have, and how often a run of it is then entered at most.
constexpr uint32_t kMaxRecursiveCalls = 2;

uint64_t activations(uint64_t calls) {
  uint64_t total = 1, level = 1;
  for (int64_t i = 0; i < kDepthMask; ++i) total += level *= calls;
  return total;
}

// Types of the registers that the prologue sets up, in this order.
constexpr std::array kPool = {Type::i32, Type::i1,  Type::i64, Type::f64, Type::i32, Type::i1,
                              Type::i8,  Type::i64, Type::i16, Type::f32, Type::i1,  Type::i32};

}  // namespace

FunctionGenerator::FunctionGenerator(Environment& environment, Function& function, const FunctionPlan& plan)
    : environment_(environment),
      function_(function),
      plan_(plan),
      options_(environment.options),
      random_(environment.random),
      builder_(function),
      max_steps_(plan.recursive ? plan.max_steps / activations(kMaxRecursiveCalls) : plan.max_steps) {
  function_.reserve(static_cast<uint32_t>(std::min<uint64_t>(plan.size + plan.size / 8 + 16, 1u << 27)));
}

uint64_t FunctionGenerator::run() {
  prologue();
  uint64_t end = plan_.size - std::min(plan_.size, reserve_);
  uint64_t left = end - std::min(end, emitted());
  if (options_.shape == Shape::Irreducible && left >= 12) {
    irreducible(left, 0);
  } else {
    region(end, 0);
  }
  epilogue();
  place(BlockId());
  if (options_.shape != Shape::Structured && random_.percent(15)) {
    for (uint32_t i = static_cast<uint32_t>(layout_.size()); i > 2; --i) {
      std::swap(layout_[i - 1], layout_[1 + random_.below(i - 1)]);
    }
  }
  function_.set_layout(std::move(layout_));
  settle();
  return steps_ * (plan_.recursive ? activations(recursive_calls_) : 1);
}

void FunctionGenerator::prologue() {
  place(new_block());
  for (size_t i = 0; i < function_.params.size(); ++i) {
    Reg param = function_.params[i];
    Type type = function_.type(param);
    if (type == Type::ptr) {
      scope_.pointers.push_back({.address = Operand::reg(param), .size = kParamBytes});
    } else if (plan_.recursive && i == 0) {
      depth_ = param;
      builder_.into(param);
      builder_.op(Opcode::And, type, {Operand::reg(param), constant(type, kDepthMask)});
      make_readable(param, type);
    } else {
      make_writable(param, type);
    }
  }
  hash_ = fresh(Type::i64);
  builder_.into(hash_);
  builder_.op(Opcode::Mov, Type::i64, {literal(Type::i64)});

  uint32_t folds = static_cast<uint32_t>(std::clamp<uint64_t>(plan_.size / 16, 1, 16));
  reserve_ = 3 * folds + 3;
  size_t pool = std::clamp<size_t>(plan_.size / 8, 3, 2 * kPool.size());
  for (size_t i = 0; i < pool; ++i) {
    Type type = kPool[i % kPool.size()];
    if (is_float(type) && !options_.floats) continue;
    Operand value = literal(type);
    // Sometimes a copy or a mix of what there is already.
    std::vector<Reg>& known = scope_.readable_of(type);
    Reg reg = fresh(type);
    builder_.into(reg);
    if (known.empty() || random_.percent(60)) {
      builder_.op(Opcode::Mov, type, {value});
    } else {
      Opcode op = is_float(type) ? Opcode::Fadd : Opcode::Xor;
      builder_.op(op, type, {Operand::reg(random_.element(known)), value});
    }
    make_writable(reg, type);
  }
  if (options_.memory) add_slots();
}

void FunctionGenerator::epilogue() {
  if (plan_.call_all) {
    // No function should go untested because nobody happened to call it.
    for (const Callee& callee : environment_.callees) call(callee);
  }
  fold_some(static_cast<uint32_t>(reserve_ / 3));
  switch (function_.signature.result) {
    case Type::none:
      if (options_.externals) {
        builder_.call(Type::none, Operand::symbol(environment_.external(External::Observe64)),
                      std::array{Operand::reg(hash_)});
      }
      builder_.ret();
      break;
    case Type::i64:
      builder_.ret(Operand::reg(hash_));
      break;
    case Type::f64:
      builder_.ret(Operand::reg(builder_.convert(Opcode::Sitofp, Type::i64, Type::f64, Operand::reg(hash_))));
      break;
    case Type::f32:
      builder_.ret(Operand::reg(builder_.convert(Opcode::Uitofp, Type::i64, Type::f32, Operand::reg(hash_))));
      break;
    default:
      builder_.ret(Operand::reg(
          builder_.convert(Opcode::Trunc, Type::i64, function_.signature.result, Operand::reg(hash_))));
      break;
  }
}

void FunctionGenerator::annotate() {
  if (!options_.annotations || !random_.percent(10)) return;
  line_ += random_.below(4);
  builder_.line(random_.percent(20) ? 0 : line_);
}

void FunctionGenerator::return_something() {
  Type type = function_.signature.result;
  builder_.ret(type == Type::none ? Operand() : pick(type));
}

void FunctionGenerator::fold(Reg reg, Type type) {
  Operand value = Operand::reg(reg);
  if (is_float(type)) {
    Type bits = type == Type::f64 ? Type::i64 : Type::i32;
    value = Operand::reg(builder_.convert(Opcode::Bitcast, type, bits, value));
    type = bits;
  }
  if (type != Type::i64) {
    Opcode op = random_.coin() ? Opcode::Zext : Opcode::Sext;
    value = Operand::reg(builder_.convert(op, type, Type::i64, value));
  }
  Operand hash = Operand::reg(hash_);
  bool multiply = random_.coin();
  builder_.into(hash_);
  if (multiply) {
    builder_.op(Opcode::Mul, Type::i64, {hash, constant(Type::i64, 0x5851'f42d'4c95'7f2d)});
  } else {
    builder_.op(Opcode::Fshl, Type::i64, {hash, hash, constant(Type::i64, 1 + random_.below(63))});
  }
  builder_.into(hash_);
  builder_.op(random_.one_of({Opcode::Add, Opcode::Xor, Opcode::Sub}), Type::i64, {hash, value});
}

void FunctionGenerator::fold_some(uint32_t count) {
  uint32_t first = random_.below(static_cast<uint32_t>(Type::ptr));
  for (uint32_t i = 0; i < count; ++i) {
    Type type = static_cast<Type>((first + i) % static_cast<uint32_t>(Type::ptr));
    const std::vector<Reg>& regs = scope_.readable_of(type);
    if (!regs.empty()) fold(random_.element(regs), type);
  }
}

void FunctionGenerator::settle() {
  steps_ += (emitted() - settled_) * times_;
  settled_ = emitted();
}

// --- Choosing -----------------------------------------------------------------------------------------

Type FunctionGenerator::int_type() {
  return random_.one_of({Type::i8, Type::i16, Type::i32, Type::i32, Type::i32, Type::i64, Type::i64});
}

Type FunctionGenerator::value_type() {
  if (options_.floats && random_.percent(20)) return float_type();
  return random_.percent(6) ? Type::i1 : int_type();
}

Operand FunctionGenerator::pick(Type type, bool final) {
  if (random_.percent(15)) return literal(type);
  return pick_reg(type, final);
}

Operand FunctionGenerator::pick_reg(Type type, bool final) {
  Literal known = mode_.deep || final ? mode_.literal : Literal();
  if (!scope_.guarded.empty() && (!known.is_none() || !scope_.facts.empty()) && random_.percent(40)) {
    size_t first = scope_.guarded.size() - std::min<size_t>(scope_.guarded.size(), 8);
    for (size_t i = scope_.guarded.size(); i > first; --i) {
      const GuardedValue& value = scope_.guarded[i - 1];
      if (value.type == type && scope_.holds(value.domain, known)) return Operand::reg(value.reg);
    }
  }
  const std::vector<Reg>& regs = scope_.readable_of(type);
  if (regs.empty()) return literal(type);
  uint32_t count = static_cast<uint32_t>(regs.size());
  if (random_.coin()) return Operand::reg(regs[count - 1 - random_.below(std::min(count, 6u))]);
  return Operand::reg(regs[random_.below(count)]);
}

Operand FunctionGenerator::predicate_of(Literal literal) const {
  return Operand::predicate(scope_.stable[literal.index()].reg, literal.is_negated());
}

Literal FunctionGenerator::some_stable() {
  if (scope_.stable.empty()) return {};
  uint32_t count = static_cast<uint32_t>(scope_.stable.size());
  uint32_t index =
      random_.percent(80) ? count - 1 - random_.below(std::min(count, 5u)) : random_.below(count);
  return {index, random_.percent(35)};
}

Operand FunctionGenerator::choose_predicate(Literal* literal) {
  if (!scope_.stable.empty() && random_.percent(65)) {
    Literal chosen = some_stable();
    if (literal) *literal = chosen;
    return predicate_of(chosen);
  }
  const std::vector<Reg>& regs = scope_.readable_of(Type::i1);
  if (regs.empty()) return {};
  Reg reg = random_.element(regs);
  return Operand::predicate(reg, random_.percent(35));
}

FunctionGenerator::Mode FunctionGenerator::choose_mode() {
  Mode mode;
  if (!options_.guards || !random_.percent(30)) return mode;
  mode.guard = Guard(choose_predicate(&mode.literal));
  mode.deep = !mode.literal.is_none() && random_.percent(30);
  return mode;
}

// --- Emitting -----------------------------------------------------------------------------------------

Reg FunctionGenerator::fresh(Type type) {
  if (!options_.names) return function_.add_reg(type);
  uint32_t number = function_.num_regs();
  switch (random_.below(12)) {
    case 0:
      return function_.add_reg(type);
    case 1:
      return function_.add_reg(type, fmt::format("{} #{}", type_name(type), number));
    default:
      return function_.add_reg(
          type, fmt::format("{}{}", type == Type::i1 ? "p" : type_name(type).substr(0, 1), number));
  }
}

void FunctionGenerator::make_writable(Reg reg, Type type) {
  make_readable(reg, type);
  scope_.writable_of(type).push_back(reg);
}

Literal FunctionGenerator::make_stable(Reg reg, std::array<Literal, 2> when_true,
                                       std::array<Literal, 2> when_false) {
  make_readable(reg, Type::i1);
  scope_.stable.push_back({reg, when_true, when_false});
  return {static_cast<uint32_t>(scope_.stable.size()) - 1, false};
}

void FunctionGenerator::add_value(Reg reg, Type type) {
  if (mode_.guard) {
    scope_.guarded.push_back({reg, type, mode_.literal});
  } else {
    make_writable(reg, type);
  }
}

Reg FunctionGenerator::temporary(Type type) {
  Reg reg = fresh(type);
  if (mode_.deep) {
    scope_.guarded.push_back({reg, type, mode_.literal});
  } else if (type != Type::ptr && random_.percent(40)) {
    make_writable(reg, type);
  }
  return reg;
}

Reg FunctionGenerator::result(Type type) {
  std::vector<Reg>& known = scope_.writable_of(type);
  bool guarded = static_cast<bool>(mode_.guard);
  bool partial = guarded && mode_.literal.is_none();  // the old value must stay readable
  Reg reg;
  if (!known.empty() && (partial || random_.percent(45))) {
    uint32_t count = static_cast<uint32_t>(known.size());
    reg = known[random_.coin() ? count - 1 - random_.below(std::min(count, 6u)) : random_.below(count)];
  } else {
    if (partial) mode_ = {};
    reg = fresh(type);
    add_value(reg, type);
  }
  guard_last();
  return reg;
}

Reg FunctionGenerator::step(Opcode op, Type type, std::initializer_list<Operand> operands) {
  guard_steps();
  Reg reg = temporary(type);
  builder_.into(reg);
  return builder_.op(op, type, operands);
}

Reg FunctionGenerator::last(Opcode op, Type type, std::initializer_list<Operand> operands) {
  Type result_type = info(op).format == Format::Overflow ? Type::i1 : type;
  Reg reg = result(result_type);
  builder_.into(reg);
  return builder_.op(op, type, operands);
}

}  // namespace psi::testing
