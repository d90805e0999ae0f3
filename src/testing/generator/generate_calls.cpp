// Calls, and functions with variadic arguments.
#include <algorithm>

#include "testing/generator/function_generator.h"

namespace psi::testing {

bool FunctionGenerator::choose_arguments(const Signature& signature, std::vector<Operand>& arguments) {
  for (Type type : signature.params) {
    if (type != Type::ptr) {
      arguments.push_back(pick(type, true));
      continue;
    }
    Pointer pointer;
    if (!choose_pointer(kParamBytes, true, pointer, true)) return false;
    arguments.push_back(pointer.address);
  }
  return true;
}

void FunctionGenerator::append_call(Type result_type, Operand callee, std::span<const Operand> arguments) {
  if (result_type == Type::none) {
    guard_last();
  } else {
    builder_.into(result(result_type));
  }
  builder_.call(result_type, callee, arguments);
}

void FunctionGenerator::call() {
  if (environment_.callees.empty() || !call(random_.element(environment_.callees))) arithmetic();
}

bool FunctionGenerator::call(const Callee& callee) {
  settle();
  if (callee.cost > steps_left() / times_) return false;
  std::vector<Operand> arguments;
  if (callee.signature.variadic) {
    int64_t groups = random_.below(3);
    arguments.push_back(constant(Type::i32, groups));
    for (int64_t i = 0; i < groups; ++i) {
      for (Type type : kVariadicGroup) arguments.push_back(pick(type, true));
    }
  } else if (!choose_arguments(callee.signature, arguments)) {
    return false;
  }
  steps_ += callee.cost * times_;
  append_call(callee.signature.result, Operand::symbol(callee.symbol), arguments);
  return true;
}

void FunctionGenerator::call_recursive() {
  if (!depth_ || times_ > 1 || recursive_calls_ >= 2) return call();
  std::vector<Operand> arguments;
  // Under the guard, or in the block, that the depth is not used up.
  Reg deeper = fresh(Type::i1);
  builder_.into(deeper);
  builder_.cmp(Cond::gt, Type::i32, Operand::reg(depth_), constant(Type::i32, 0));
  Literal literal = make_stable(deeper);
  Reg less = builder_.op(Opcode::Sub, Type::i32, {Operand::reg(depth_), constant(Type::i32, 1)});
  if (!choose_arguments(function_.signature, arguments)) return;
  arguments[0] = Operand::reg(less);
  ++recursive_calls_;
  Type type = function_.signature.result;
  Operand self = Operand::symbol(function_.symbol);
  if (options_.guards && random_.coin()) {
    mode_ = {Guard(deeper, false), literal, false};
    append_call(type, self, arguments);
  } else if (options_.shape != Shape::Straight) {
    BlockId then = new_block(), next = new_block();
    builder_.br(Operand::reg(deeper), then, next);
    Scope::Mark mark = scope_.mark();
    place(then);
    scope_.facts.push_back(literal);
    append_call(type, self, arguments);
    builder_.br(next);
    scope_.leave(mark);
    place(next);
  }
}

void FunctionGenerator::call_indirect() {
  if (environment_.function_tables.empty()) return call();
  settle();
  const FunctionTable& table = random_.element(environment_.function_tables);
  if (table.cost > steps_left() / times_) return arithmetic();
  std::vector<Operand> arguments;
  if (!choose_arguments(table.signature, arguments)) return arithmetic();
  Reg index = step(Opcode::And, word(), {pick_reg(word()), constant(word(), table.entries - 1)});
  builder_.into(temporary(Type::ptr));
  Reg entry = builder_.ptrindex(Operand::symbol(table.symbol), Operand::reg(index), pointer_bytes(), 0);
  builder_.into(temporary(Type::ptr));
  Reg callee = builder_.load(Type::ptr, Operand::reg(entry));
  steps_ += table.cost * times_;
  append_call(table.signature.result, Operand::reg(callee), arguments);
}

void FunctionGenerator::call_external() {
  std::vector<Operand> arguments;
  auto symbol = [&](External which) { return Operand::symbol(environment_.external(which)); };
  switch (random_.below(6)) {
    case 0: {
      const FormatString& format = environment_.format_string();
      arguments.push_back(Operand::symbol(format.symbol));
      for (Type type : format.arguments) {
        arguments.push_back(type == Type::ptr ? Operand::symbol(environment_.text()) : pick(type, true));
      }
      return append_call(Type::i32, symbol(External::Printf), arguments);
    }
    case 1: {
      Operand text = Operand::symbol(environment_.text());
      return append_call(Type::i32, symbol(External::Puts), std::array{text});
    }
    case 2: {
      Operand value = pick(Type::i32, true);
      return append_call(Type::i32, symbol(External::Putchar), std::array{value});
    }
    case 3: {
      Operand value = pick(Type::i32, true);
      return append_call(Type::i64, symbol(External::Source), std::array{value});
    }
    case 4: {
      Pointer pointer;
      if (!choose_pointer(1, false, pointer, true)) break;
      return append_call(Type::i32, symbol(External::Peek), std::array{pointer.address});
    }
    default:
      break;
  }
  Operand value = pick(Type::i32, true);
  append_call(Type::i32, symbol(External::Opaque), std::array{value});
}

void FunctionGenerator::observe() {
  External which = random_.one_of({External::Observe, External::Observe, External::Observe64});
  Type type = which == External::Observe ? Type::i32 : Type::i64;
  if (options_.floats && random_.percent(20)) which = External::ObserveF64, type = Type::f64;
  Operand value;
  if (Pointer pointer; random_.percent(15) && choose_pointer(1, false, pointer, true)) {
    which = External::ObservePtr;
    value = pointer.address;
  } else {
    value = pick_reg(type, true);
  }
  guard_last();
  builder_.call(Type::none, Operand::symbol(environment_.external(which)), std::array{value});
}

// Sums up its variadic arguments, in groups of kVariadicGroup; the first of them twice, through a copy.
uint64_t FunctionGenerator::run_variadic() {
  Operand count = Operand::reg(function_.params[0]);
  BlockId entry = new_block(), header = new_block(), body = new_block(), exit = new_block();
  place(entry);
  int64_t list_size = options_.pointer_bits == 64 ? 24 : 4;
  Operand list = Operand::reg(builder_.slot(constant(word(), list_size), 8));
  Operand copy = Operand::reg(builder_.slot(constant(word(), list_size), 8));
  hash_ = fresh(Type::i64);
  builder_.into(hash_);
  builder_.op(Opcode::Mov, Type::i64, {literal(Type::i64)});
  Reg counter = fresh(Type::i32), any = fresh(Type::i1), more = fresh(Type::i1);
  builder_.into(counter);
  builder_.op(Opcode::Mov, Type::i32, {count});
  builder_.into(any);
  builder_.cmp(Cond::gt, Type::i32, count, constant(Type::i32, 0));
  builder_.effect(Opcode::VaStart, {list});
  builder_.effect(Opcode::VaCopy, {copy, list});
  auto argument = [&](Type type, Operand from) {
    Inst inst;
    inst.op = Opcode::VaArg;
    inst.type = type;
    Reg reg = fresh(type);
    inst.results[0] = reg;
    builder_.append(inst, std::array{from});
    return reg;
  };
  builder_.guard(options_.guards ? Guard(any, false) : Guard());
  if (options_.guards) {
    Reg first = argument(Type::i64, copy);
    builder_.into(hash_);
    builder_.op(Opcode::Add, Type::i64, {Operand::reg(hash_), Operand::reg(first)});
    builder_.guard({});
  }
  builder_.effect(Opcode::VaEnd, {copy});
  builder_.br(header);
  place(header);
  builder_.into(more);
  builder_.cmp(Cond::gt, Type::i32, Operand::reg(counter), constant(Type::i32, 0));
  builder_.br(Operand::reg(more), body, exit);
  place(body);
  builder_.into(counter);
  builder_.op(Opcode::Sub, Type::i32, {Operand::reg(counter), constant(Type::i32, 1)});
  for (Type type : kVariadicGroup) fold(argument(type, list), type);
  builder_.br(header);
  place(exit);
  builder_.effect(Opcode::VaEnd, {list});
  builder_.ret(Operand::reg(hash_));
  function_.set_layout(std::move(layout_));
  return 4 * emitted();
}

}  // namespace psi::testing
