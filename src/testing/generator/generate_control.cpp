// Blocks, branches and loops.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>

#include "testing/generator/function_generator.h"

namespace psi::testing {
namespace {

// The most instructions of a structured statement, so that a large program consists of many.
constexpr uint64_t kMaxStatement = 2000;

}  // namespace

BlockId FunctionGenerator::new_block() {
  if (!options_.names || random_.percent(30)) return function_.add_block();
  return function_.add_block(layout_.empty() ? "entry" : fmt::format("b{}", function_.num_blocks()));
}

void FunctionGenerator::place(BlockId block) {
  for (auto [detour, target] : detours_) {
    layout_.push_back(detour);
    builder_.at(detour);
    builder_.br(target);
  }
  detours_.clear();
  if (!block) return;
  layout_.push_back(block);
  builder_.at(block);
}

BlockId FunctionGenerator::maybe_detour(BlockId target) {
  if (!random_.percent(6)) return target;
  detours_.emplace_back(new_block(), target);
  return detours_.back().first;
}

// A sequence of statements, until the function has `end` instructions.
void FunctionGenerator::region(uint64_t end, int depth) {
  while (emitted() < end) {
    uint64_t left = end - emitted();
    if (depth < kMaxDepth && left >= 8 && options_.shape != Shape::Straight && random_.percent(20)) {
      // As many small ones as large ones.
      uint64_t most = std::min(left, kMaxStatement);
      int log = random_.below(static_cast<uint32_t>(std::bit_width(most)) - 1) + 2;
      control(
          std::min(most, static_cast<uint64_t>(random_.range(int64_t{1} << (log - 1), int64_t{1} << log))),
          depth);
    } else {
      statement();
    }
  }
}

void FunctionGenerator::straight(uint64_t end) {
  while (emitted() < end) statement();
}

void FunctionGenerator::control(uint64_t size, int depth) {
  bool mixed = options_.shape == Shape::Mixed || options_.shape == Shape::Irreducible;
  uint32_t choice = random_.below(100);
  if (choice < 34) return if_else(size, depth);
  if (choice < 46) return options_.guards ? guarded_branches(size, depth) : if_else(size, depth);
  if (choice < 68) return loop(size, depth);
  if (choice < 77) return options_.switches ? switch_on(size, depth) : if_else(size, depth);
  if (choice < 80) return early_exit();
  if (choice < 86) return loops_.empty() ? if_else(size, depth) : leave_loop();
  if (choice < 93) return mixed && size >= 12 ? irreducible(size, depth) : loop(size, depth);
  if (choice < 97) return unreachable_code(depth);
  never_taken();
}

Operand FunctionGenerator::branch_condition(Literal* literal) {
  if (random_.coin()) {
    Operand chosen = choose_predicate(literal);
    if (!chosen.is_none()) {
      if (!literal->is_none()) *literal = Literal(literal->index(), false);
      return Operand::reg(chosen.reg());
    }
  }
  Comparison c = comparison();
  Reg reg = fresh(Type::i1);
  builder_.into(reg);
  builder_.cmp(c.cond, c.type, c.a, c.b);
  *literal = make_stable(reg);
  return Operand::reg(reg);
}

// Rarely true, so that most of the function is executed.
Operand FunctionGenerator::rare_condition(Literal* literal) {
  Type type = random_.coin() ? Type::i32 : Type::i64;
  Operand value = pick_reg(type);
  Reg reg = fresh(Type::i1);
  builder_.into(reg);
  builder_.cmp(Cond::eq, type, value, constant(type, random_.range(-500, 500)));
  *literal = make_stable(reg);
  return Operand::reg(reg);
}

void FunctionGenerator::arm(BlockId block, BlockId merge, uint64_t size, int depth,
                            std::initializer_list<Literal> facts) {
  Scope::Mark mark = scope_.mark();
  place(block);
  for (Literal fact : facts) {
    if (!fact.is_none()) scope_.facts.push_back(fact);
  }
  region(emitted() + size, depth + 1);
  if (random_.percent(15)) fold_some(1);
  builder_.br(maybe_detour(merge));
  scope_.leave(mark);
}

void FunctionGenerator::if_else(uint64_t size, int depth) {
  Literal literal;
  BlockId then = new_block(), merge = new_block();
  if (random_.percent(10)) {
    // Only the branch keeps a division from being undefined.
    Type type = int_type();
    Operand divisor = pick_reg(type), dividend = pick(type);
    Reg copy = fresh(type), safe = fresh(Type::i1);
    builder_.into(copy);
    builder_.op(Opcode::Mov, type, {divisor});
    builder_.into(safe);
    builder_.cmp(Cond::ne, type, Operand::reg(copy), constant(type, 0));
    builder_.br(Operand::reg(safe), then, merge);
    Literal fact = make_stable(safe);
    place(then);
    Scope::Mark mark = scope_.mark();
    scope_.facts.push_back(fact);
    last(random_.coin() ? Opcode::Udiv : Opcode::Urem, type, {dividend, Operand::reg(copy)});
    region(emitted() + size, depth + 1);
    builder_.br(merge);
    scope_.leave(mark);
    place(merge);
    return;
  }
  Operand condition = branch_condition(&literal);
  if (random_.percent(4)) {
    builder_.br(condition, merge, merge);
    place(merge);
    // `then` stays out of the layout.
    return;
  }
  if (random_.percent(60)) {
    BlockId otherwise = new_block();
    builder_.br(condition, then, otherwise);
    arm(then, merge, random_.below(static_cast<uint32_t>(size)), depth, {literal});
    arm(otherwise, merge, random_.below(static_cast<uint32_t>(size)), depth, {!literal});
  } else if (random_.coin()) {
    builder_.br(condition, then, maybe_detour(merge));
    arm(then, merge, size, depth, {literal});
  } else {
    builder_.br(condition, maybe_detour(merge), then);
    arm(then, merge, size, depth, {!literal});
  }
  place(merge);
}

// A group of terminators: the first one whose guard is true is taken.
void FunctionGenerator::guarded_branches(uint64_t size, int depth) {
  Literal first, second;
  Operand p = branch_condition(&first), q = branch_condition(&second);
  if (random_.coin()) p = Operand::not_reg(p.reg()), first = !first;
  if (random_.coin()) q = Operand::not_reg(q.reg()), second = !second;
  BlockId a = new_block(), b = new_block(), c = new_block(), merge = new_block();
  bool three = random_.coin();
  bool conditional = random_.percent(25);
  builder_.guard(Guard(p));
  builder_.br(a);
  if (three) {
    builder_.guard(Guard(q));
    builder_.br(b);
  }
  builder_.guard({});
  if (conditional) {
    builder_.br(Operand::reg(q.reg()), c, merge);
  } else {
    builder_.br(random_.coin() ? c : merge);
  }
  arm(a, merge, size / 3, depth, {first});
  if (three) arm(b, merge, size / 3, depth, {!first, second});
  // Not reached if the last terminator goes to the merge: unreachable code, then.
  arm(c, merge, size / 3, depth, {!first});
  place(merge);
}

void FunctionGenerator::loop(uint64_t size, int depth) {
  settle();
  uint64_t trips = random_.percent(10) ? 5 + random_.below(36) : 1 + random_.below(8);
  trips = std::min(trips, steps_left() / (times_ * (2 * size + 4)));
  if (trips < 1) return if_else(size, depth);

  Type type = random_.one_of({Type::i8, Type::i32, Type::i32, Type::i64});
  bool upward = random_.coin();
  Operand limit = constant(type, static_cast<int64_t>(trips));
  if (random_.coin()) {
    int64_t mask = static_cast<int64_t>(std::bit_floor(trips + 1) - 1);
    limit = Operand::reg(step(Opcode::And, type, {pick_reg(type), constant(type, mask)}));
    // Nobody else may write it.
    if (std::vector<Reg>& known = scope_.writable_of(type); !known.empty() && known.back() == limit.reg()) {
      known.pop_back();
    }
  }
  Reg counter = fresh(type);
  builder_.into(counter);
  builder_.op(Opcode::Mov, type, {upward ? constant(type, 0) : limit});
  make_readable(counter, type);
  auto count = [&] {
    builder_.into(counter);
    builder_.op(upward ? Opcode::Add : Opcode::Sub, type, {Operand::reg(counter), constant(type, 1)});
  };
  auto test = [&] {
    Reg more = fresh(Type::i1);
    builder_.into(more);
    builder_.cmp(upward ? Cond::lt : Cond::gt, type, Operand::reg(counter),
                 upward ? limit : constant(type, 0));
    return more;
  };

  Scope::Mark mark = scope_.mark();
  BlockId body = new_block(), exit = new_block();
  uint64_t outer_times = times_;
  switch (random_.below(3)) {
    case 0: {  // test first
      BlockId header = new_block();
      builder_.br(header);
      settle();
      times_ *= trips + 1;
      place(header);
      if (random_.percent(40)) statement();
      Reg more = test();
      builder_.br(Operand::reg(more), body, maybe_detour(exit));
      scope_.facts.push_back(make_stable(more));
      place(body);
      count();
      loops_.push_back({header, exit});
      region(emitted() + size, depth + 1);
      loops_.pop_back();
      if (random_.percent(20)) fold_some(1);
      builder_.br(maybe_detour(header));
      break;
    }
    case 1: {  // test last
      BlockId latch = new_block();
      builder_.br(body);
      settle();
      times_ *= trips;
      place(body);
      loops_.push_back({latch, exit});
      region(emitted() + size, depth + 1);
      loops_.pop_back();
      builder_.br(latch);
      place(latch);
      count();
      Reg more = test();
      builder_.br(Operand::reg(more), maybe_detour(body), exit);
      break;
    }
    default: {  // one block that loops to itself
      builder_.br(body);
      settle();
      times_ *= trips;
      place(body);
      straight(emitted() + std::min<uint64_t>(size, 1 + random_.below(12)));
      count();
      Reg more = test();
      if (options_.guards && random_.percent(30)) {
        builder_.guard(Guard(more, true));
        builder_.br(exit);
        builder_.guard({});
        builder_.br(body);
      } else {
        builder_.br(Operand::reg(more), body, exit);
      }
      break;
    }
  }
  settle();
  times_ = outer_times;
  scope_.leave(mark);
  place(exit);
}

void FunctionGenerator::switch_on(uint64_t size, int depth) {
  Type type = random_.one_of({Type::i8, Type::i32, Type::i32, Type::i64});
  Operand value = pick_reg(type);
  if (random_.percent(70)) value = Operand::reg(step(Opcode::And, type, {value, constant(type, 7)}));
  std::array<BlockId, 4> arms;
  uint32_t num_arms = 1 + random_.below(4);
  for (uint32_t i = 0; i < num_arms; ++i) arms[i] = new_block();
  BlockId merge = new_block();
  auto target = [&] { return random_.percent(85) ? arms[random_.below(num_arms)] : merge; };
  std::vector<Operand> cases;
  int64_t number = random_.range(-2, 2);
  for (uint32_t i = random_.percent(5) ? 40 : random_.below(7); i > 0; --i) {
    cases.push_back(constant(type, number));
    cases.push_back(Operand::block(target()));
    number += random_.percent(80) ? 1 : 2;
  }
  BlockId otherwise = target();
  if (random_.percent(10)) {
    // The same under a guard: the next terminator is for where it is false.
    builder_.guard(options_.guards ? Guard(choose_predicate()) : Guard());
    bool guarded = options_.guards && !scope_.readable_of(Type::i1).empty();
    builder_.switch_on(type, value, otherwise, cases);
    builder_.guard({});
    if (guarded) builder_.br(merge);
  } else {
    builder_.switch_on(type, value, otherwise, cases);
  }
  for (uint32_t i = 0; i < num_arms; ++i) {
    bool falls_through = i + 1 < num_arms && random_.percent(20);
    arm(arms[i], falls_through ? arms[i + 1] : merge,
        random_.below(static_cast<uint32_t>(size / num_arms + 1)), depth, {});
  }
  place(merge);
}

void FunctionGenerator::early_exit() {
  Literal literal;
  Operand condition = rare_condition(&literal);
  BlockId out = new_block(), next = new_block();
  if (options_.guards && random_.percent(40)) {
    Operand value = function_.signature.result == Type::none ? Operand() : pick(function_.signature.result);
    builder_.guard(Guard(condition));
    builder_.ret(value);
    builder_.guard({});
    builder_.br(next);
  } else {
    builder_.br(condition, out, next);
    Scope::Mark mark = scope_.mark();
    place(out);
    scope_.facts.push_back(literal);
    if (random_.coin()) statement();
    return_something();
    scope_.leave(mark);
  }
  place(next);
  scope_.facts.push_back(!literal);
}

void FunctionGenerator::leave_loop() {
  Literal literal;
  Operand condition = branch_condition(&literal);
  const Loop& loop =
      loops_[loops_.size() - 1 - random_.below(static_cast<uint32_t>(std::min<size_t>(loops_.size(), 2)))];
  BlockId target = random_.coin() ? loop.exit : loop.next, next = new_block();
  if (options_.guards && random_.percent(40)) {
    builder_.guard(Guard(condition));
    builder_.br(target);
    builder_.guard({});
    builder_.br(next);
  } else {
    builder_.br(condition, maybe_detour(target), next);
  }
  place(next);
  if (!literal.is_none()) scope_.facts.push_back(!literal);
}

// A block that nothing branches to.
void FunctionGenerator::unreachable_code(int depth) {
  BlockId dead = new_block(), next = new_block();
  builder_.br(next);
  Scope::Mark mark = scope_.mark();
  place(dead);
  region(emitted() + 1 + random_.below(4), std::max(depth, kMaxDepth - 1));
  switch (random_.below(3)) {
    case 0:
      return_something();
      break;
    case 1:
      // Anywhere but to the entry.
      builder_.br(layout_.size() > 1 ? layout_[1 + random_.below(static_cast<uint32_t>(layout_.size() - 1))]
                                     : next);
      break;
    default:
      builder_.br(next);
      break;
  }
  scope_.leave(mark);
  place(next);
}

// A branch to an unreachable place that is never taken.
void FunctionGenerator::never_taken() {
  Type type = int_type();
  Reg small = step(Opcode::And, type, {pick_reg(type), constant(type, 15)});
  Reg large = fresh(Type::i1);
  builder_.into(large);
  builder_.cmp(Cond::ugt, type, Operand::reg(small), constant(type, 15 + random_.below(3)));
  Literal literal = make_stable(large);
  BlockId dead = new_block(), next = new_block();
  if (options_.guards && random_.coin()) {
    builder_.guard(Guard(large, false));
    builder_.unreachable();
    builder_.guard({});
    builder_.br(next);
  } else {
    builder_.br(Operand::reg(large), dead, next);
    place(dead);
    if (options_.externals && random_.coin()) {
      builder_.call(Type::none, Operand::symbol(environment_.external(External::Abort)), {});
    }
    builder_.unreachable();
  }
  place(next);
  scope_.facts.push_back(!literal);
}

}  // namespace psi::testing
