// Comparisons, predicates, and code under guards.
#include <algorithm>
#include <array>

#include "testing/generator/function_generator.h"

namespace psi::testing {
namespace {

constexpr std::array kPartial = {Action::on, Action::oc, Action::an, Action::ac, Action::cn, Action::cc};

}  // namespace

FunctionGenerator::Comparison FunctionGenerator::comparison() {
  Comparison c{};
  c.type = value_type();
  if (c.type == Type::i1 && random_.coin()) c.type = Type::i32;
  c.a = pick_reg(c.type, true);
  c.b = random_.coin() ? literal(c.type) : pick(c.type, true);
  uint32_t first = is_float(c.type) ? kNumIntConds : 0;
  uint32_t count = is_float(c.type) ? kNumConds - kNumIntConds : kNumIntConds;
  c.cond = static_cast<Cond>(first + random_.below(count));
  return c;
}

void FunctionGenerator::compare() {
  if (mode_.guard || random_.percent(30)) {
    Comparison c = comparison();
    builder_.into(result(Type::i1));
    builder_.cmp(c.cond, c.type, c.a, c.b);
    return;
  }
  Comparison c = comparison();
  Reg predicate = fresh(Type::i1);
  builder_.into(predicate);
  builder_.cmp(c.cond, c.type, c.a, c.b);
  make_stable(predicate);
}

// Targets written in any case, so good for new predicates.
void FunctionGenerator::two_target_compare() {
  mode_ = {};
  Literal input = random_.percent(60) ? some_stable() : Literal();
  // Where the input is false the operands are not read.
  mode_.literal = input;
  Comparison c = comparison();
  mode_ = {};
  Operand given = input.is_none() ? Operand::always() : predicate_of(input);
  Action first = random_.coin() ? Action::un : Action::uc;
  Action second = random_.one_of({Action::none, Action::un, Action::uc, Action::uc});
  Reg p = fresh(Type::i1), q;
  if (second != Action::none) q = fresh(Type::i1);
  builder_.into(p, q);
  builder_.cmpp(first, second, c.cond, c.type, c.a, c.b, given);
  if (!q) {
    make_stable(p, {input, {}});
    return;
  }
  uint32_t next = static_cast<uint32_t>(scope_.stable.size());
  bool opposite = first != second;
  Literal p_literal(next, false), q_literal(next + 1, false);
  // Without an input one of two opposite targets is true.
  Literal otherwise_q = opposite && input.is_none() ? q_literal : opposite ? Literal() : !q_literal;
  Literal otherwise_p = opposite && input.is_none() ? p_literal : opposite ? Literal() : !p_literal;
  make_stable(p, {input, opposite ? !q_literal : q_literal}, {otherwise_q, {}});
  make_stable(q, {input, opposite ? !p_literal : p_literal}, {otherwise_p, {}});
}

// Partial writers on predicates that have a value already.
void FunctionGenerator::partial_compare() {
  const std::vector<Reg>& known = scope_.writable_of(Type::i1);
  if (known.empty()) return two_target_compare();
  Literal literal;
  Operand input = random_.percent(60) ? choose_predicate(&literal) : Operand();
  if (input.is_none()) input = Operand::always();
  Mode mode = mode_;
  mode_.literal = literal.is_none() ? mode.literal : literal;
  Comparison c = comparison();
  mode_ = mode;
  Reg p = random_.element(known), q;
  Action first = random_.element(kPartial), second = Action::none;
  if (random_.percent(60)) {
    q = random_.element(known);
    second = random_.percent(25) ? (random_.coin() ? Action::un : Action::uc) : random_.element(kPartial);
    if (p == q) q = Reg(), second = Action::none;
  }
  guard_last();
  builder_.into(p, q);
  builder_.cmpp(first, second, c.cond, c.type, c.a, c.b, input);
}

// A predicate that several comparisons build up: wired or, wired and, or overwritten under conditions.
void FunctionGenerator::accumulate_predicate() {
  mode_ = {};
  enum class Kind { Or, And, Conditional };
  Kind kind = random_.one_of({Kind::Or, Kind::Or, Kind::And, Kind::Conditional});
  Literal input = random_.percent(60) ? some_stable() : Literal();
  Operand given = input.is_none() ? Operand::always() : predicate_of(input);
  bool pair = random_.percent(30);
  Reg p = fresh(Type::i1), q = pair ? fresh(Type::i1) : Reg();
  for (Reg target : {p, q}) {
    if (!target) continue;
    builder_.into(target);
    builder_.op(Opcode::Mov, Type::i1, {constant(Type::i1, kind == Kind::Or ? 0 : -1)});
  }
  auto action = [&] {
    switch (kind) {
      case Kind::Or:
        return random_.coin() ? Action::on : Action::oc;
      case Kind::And:
        return random_.coin() ? Action::an : Action::ac;
      case Kind::Conditional:
        break;
    }
    return random_.coin() ? Action::cn : Action::cc;
  };
  for (uint32_t i = 1 + random_.below(3); i > 0; --i) {
    mode_.literal = input;
    Comparison c = comparison();
    mode_ = {};
    Action first = action(), second = pair ? action() : Action::none;
    builder_.into(p, q);
    builder_.cmpp(first, second, c.cond, c.type, c.a, c.b, given);
  }
  // Starting from false, nothing but the input can make it true; from true, nothing else can make it false.
  std::array<Literal, 2> when_true = {kind == Kind::Or ? input : Literal(), Literal()};
  std::array<Literal, 2> when_false = {kind == Kind::Or ? Literal() : input, Literal()};
  make_stable(p, when_true, when_false);
  if (q) make_stable(q, when_true, when_false);
}

// x < 3, x < 10, x >= 3, x == 1: each says something about the others.
void FunctionGenerator::correlated_compares() {
  mode_ = {};
  Type type = int_type();
  Operand x = pick_reg(type);
  int64_t low = random_.range(-20, 50), high = low + random_.range(1, 40);
  bool is_unsigned = random_.percent(30);
  if (is_unsigned) low = std::max<int64_t>(low, 1), high = low + random_.range(1, 40);
  Cond less = is_unsigned ? Cond::ult : Cond::lt;
  auto make = [&](Cond cond, int64_t bound) {
    Reg reg = fresh(Type::i1);
    builder_.into(reg);
    if (options_.guards && random_.percent(40)) {
      bool complement = random_.coin();
      builder_.cmpp(complement ? Action::uc : Action::un, Action::none, complement ? negate(cond) : cond,
                    type, x, constant(type, bound));
    } else {
      builder_.cmp(cond, type, x, constant(type, bound));
    }
    return reg;
  };
  Literal below_high = make_stable(make(less, high));
  Reg below_low = make(less, low);
  uint32_t next = static_cast<uint32_t>(scope_.stable.size());
  Literal below_low_literal(next, false);
  make_stable(below_low, {below_high, {}});
  // !below_high means !below_low.
  scope_.stable[below_high.index()].when_false[0] = !below_low_literal;
  if (random_.coin()) {
    Literal above = make_stable(make(is_unsigned ? Cond::uge : Cond::ge, low), {!below_low_literal, {}},
                                {below_low_literal, {}});
    scope_.stable[below_low_literal.index()].when_false[0] = above;
  }
  if (random_.coin()) make_stable(make(Cond::eq, low), {!below_low_literal, below_high});
}

void FunctionGenerator::predicate_logic() {
  if (mode_.guard || random_.percent(40)) {
    Opcode op = random_.one_of({Opcode::And, Opcode::Or, Opcode::Xor, Opcode::Not, Opcode::Mov});
    Operand a = pick_reg(Type::i1, true), b = pick_reg(Type::i1, true);
    if (op == Opcode::Not || op == Opcode::Mov) {
      last(op, Type::i1, {a});
    } else {
      last(op, Type::i1, {a, b});
    }
    return;
  }
  Literal a = some_stable();
  if (a.is_none()) return compare();
  a = Literal(a.index(), false);
  Literal b = some_stable();
  b = Literal(b.index(), false);
  Reg reg = fresh(Type::i1);
  builder_.into(reg);
  Operand first = predicate_of(a), second = predicate_of(b);
  switch (random_.below(5)) {
    case 0:
    case 1:
      builder_.op(Opcode::And, Type::i1, {first, second});
      make_stable(reg, {a, b});
      break;
    case 2:
      builder_.op(Opcode::Or, Type::i1, {first, second});
      make_stable(reg, {}, {!a, !b});
      break;
    case 3:
      builder_.op(Opcode::Not, Type::i1, {first});
      make_stable(reg, {!a, {}}, {a, {}});
      break;
    default:
      builder_.op(Opcode::Xor, Type::i1, {first, second});
      make_stable(reg);
      break;
  }
}

// A value defined under a predicate and under its complement, so defined everywhere.
void FunctionGenerator::both_arms() {
  Literal literal = some_stable();
  if (literal.is_none()) return compare();
  Type type = value_type();
  Opcode op = is_float(type) ? Opcode::Fadd : random_.one_of({Opcode::Add, Opcode::Sub, Opcode::Xor});
  Reg reg = fresh(type);
  for (Literal side : {literal, !literal}) {
    mode_ = {Guard(predicate_of(side)), side, false};
    Operand a = pick_reg(type, true), b = pick(type, true);
    guard_last();
    builder_.into(reg);
    builder_.op(op, type, {a, b});
  }
  mode_ = {};
  make_writable(reg, type);
}

// A chain of registers that exist only under a predicate; what comes of it goes somewhere.
void FunctionGenerator::guarded_definition() {
  Literal literal = some_stable();
  if (literal.is_none()) return compare();
  mode_ = {Guard(predicate_of(literal)), literal, true};
  Type type = int_type();
  Reg value = step(Opcode::Xor, type, {pick_reg(type), pick_reg(type)});
  for (uint32_t i = random_.below(3); i > 0; --i) {
    value = step(Opcode::Sub, type, {Operand::reg(value), pick(type)});
  }
  const std::vector<Reg>& known = scope_.writable_of(type);
  if (!known.empty() && random_.percent(70)) {
    Reg target = random_.element(known);
    guard_last();
    builder_.into(target);
    builder_.op(Opcode::Add, type, {Operand::reg(target), Operand::reg(value)});
  }
}

// A comparison that does not happen where the guard is false, made harmless by and-ing it with the guard.
void FunctionGenerator::nullified_compare() {
  Literal literal = some_stable();
  if (literal.is_none()) return compare();
  mode_ = {Guard(predicate_of(literal)), literal, true};
  Comparison c = comparison();
  Reg inner = fresh(Type::i1), outer = fresh(Type::i1);
  guard_last();
  builder_.into(inner);
  builder_.cmp(c.cond, c.type, c.a, c.b);
  scope_.guarded.push_back({inner, Type::i1, literal});
  mode_ = {};
  guard_last();
  Operand guard = Operand::reg(scope_.stable[literal.index()].reg);
  builder_.into(outer);
  if (literal.is_negated()) {
    builder_.op(Opcode::Select, Type::i1, {guard, constant(Type::i1, 0), Operand::reg(inner)});
  } else {
    builder_.op(Opcode::And, Type::i1, {guard, Operand::reg(inner)});
  }
  make_stable(outer, {literal, {}});
}

// A division that nothing but its guard keeps from dividing by zero, or the minimum by -1.
void FunctionGenerator::guarded_division() {
  mode_ = {};
  Type type = int_type();
  Opcode op = random_.one_of({Opcode::Sdiv, Opcode::Udiv, Opcode::Srem, Opcode::Urem});
  bool is_signed = op == Opcode::Sdiv || op == Opcode::Srem;
  Operand divisor = pick_reg(type);
  Reg safe = fresh(Type::i1), unsafe;
  if (random_.coin()) unsafe = fresh(Type::i1);
  builder_.into(safe, unsafe);
  builder_.cmpp(Action::un, unsafe ? Action::uc : Action::none, is_signed ? Cond::gt : Cond::ne, type,
                divisor, constant(type, 0));
  Literal literal = make_stable(safe);
  if (unsafe) {
    Literal opposite = make_stable(unsafe, {!literal, {}}, {literal, {}});
    scope_.stable[literal.index()].when_true[0] = !opposite;
    scope_.stable[literal.index()].when_false[0] = opposite;
    if (random_.coin()) literal = !opposite;
  }
  mode_ = {Guard(predicate_of(literal)), literal, false};
  Operand dividend = pick(type, true);
  last(op, type, {dividend, divisor});
}

}  // namespace psi::testing
