// Control flow without structure.
#include <algorithm>
#include <array>

#include "testing/generator/function_generator.h"

namespace psi::testing {

// Any block may branch to any other. A register counts the passes through blocks with a branch backwards;
// when it is used up they continue to the next block, so that later blocks are executed, too.
void FunctionGenerator::irreducible(uint64_t size, int depth) {
  settle();
  uint64_t passes = std::min<uint64_t>(2 + random_.below(30), steps_left() / (times_ * (size + 1)));
  if (passes < 1) return depth < kMaxDepth ? if_else(size, depth) : statement();
  Reg fuel = fresh(Type::i32);
  builder_.into(fuel);
  builder_.op(Opcode::Mov, Type::i32, {constant(Type::i32, static_cast<int64_t>(passes))});
  make_readable(fuel, Type::i32);

  size_t count = std::max<size_t>(3, size / (6 + random_.below(8)));
  std::vector<BlockId> blocks;
  for (size_t i = 0; i <= count; ++i) blocks.push_back(new_block());
  builder_.br(
      blocks[random_.percent(80) ? 0 : random_.below(static_cast<uint32_t>(std::min<size_t>(count, 3)))]);
  settle();
  uint64_t outer_times = times_;
  times_ *= passes + 1;
  uint64_t first = emitted();
  for (size_t i = 0; i < count; ++i) {
    Scope::Mark mark = scope_.mark();
    place(blocks[i]);
    // Each block up to its part of the size, so that a large one makes the next ones small.
    uint64_t end = std::min(first + size * (i + 1) / count, emitted() + size);
    uint64_t room = end - std::min(end, emitted());
    if (!random_.percent(8))
      region(emitted() + (room > 4 ? room - 4 : room / 2), std::max(depth + 1, kMaxDepth - 2));
    irreducible_end(blocks, i, fuel);
    scope_.leave(mark);
  }
  settle();
  times_ = outer_times;
  place(blocks[count]);
}

void FunctionGenerator::irreducible_end(std::span<const BlockId> blocks, size_t at, Reg fuel) {
  bool backward = false;
  auto target = [&] {
    uint32_t choice = random_.below(100);
    size_t count = blocks.size();
    size_t to = at + 1;
    if (choice >= 60 && choice < 75) to = at + 1 + random_.below(5);
    if (choice >= 75 && choice < 80)
      to = at + 1 + random_.below(static_cast<uint32_t>(std::min<size_t>((count - at) / 2 + 1, 50)));
    if (choice >= 80 && choice < 95) to = at - std::min<size_t>(at, random_.below(8));
    if (choice >= 95) to = at - random_.below(static_cast<uint32_t>(std::min<size_t>(at + 1, 1000)));
    to = std::min(to, count - 1);
    backward = backward || to <= at;
    return blocks[to];
  };
  enum class Kind { Jump, Branch, Group, Switch };
  Kind kind =
      random_.one_of({Kind::Jump, Kind::Branch, Kind::Branch, Kind::Branch, Kind::Group, Kind::Switch});
  if ((kind == Kind::Group && !options_.guards) || (kind == Kind::Switch && !options_.switches))
    kind = Kind::Branch;
  Literal literal;
  Operand p = branch_condition(&literal);
  std::array<BlockId, 4> targets;
  for (BlockId& to : targets) to = target();
  if (kind == Kind::Jump && backward) kind = Kind::Branch;
  if (backward) {
    Reg out = fresh(Type::i1);
    builder_.into(fuel);
    builder_.op(Opcode::Sub, Type::i32, {Operand::reg(fuel), constant(Type::i32, 1)});
    builder_.into(out);
    builder_.cmp(Cond::lt, Type::i32, Operand::reg(fuel), constant(Type::i32, 0));
    if (options_.guards && random_.coin()) {
      builder_.guard(Guard(out, false));
      builder_.br(blocks[at + 1]);
      builder_.guard({});
    } else {
      BlockId next = new_block();
      builder_.br(Operand::reg(out), blocks[at + 1], next);
      place(next);
    }
  }
  switch (kind) {
    case Kind::Jump:
      builder_.br(targets[0]);
      break;
    case Kind::Branch:
      builder_.br(p, targets[0], targets[1]);
      break;
    case Kind::Group:
      builder_.guard(Guard(p.reg(), random_.coin()));
      builder_.br(targets[0]);
      if (Operand q = choose_predicate(); !q.is_none() && random_.coin()) {
        builder_.guard(Guard(q));
        builder_.br(p, targets[1], targets[2]);
      }
      builder_.guard({});
      builder_.br(targets[3]);
      break;
    case Kind::Switch: {
      Type type = int_type();
      Operand value = pick_reg(type);
      std::array<Operand, 6> cases;
      for (int i = 0; i < 3; ++i) {
        cases[2 * i] = constant(type, i);
        cases[2 * i + 1] = Operand::block(targets[i]);
      }
      builder_.switch_on(type, value, targets[3], cases);
      break;
    }
  }
}

}  // namespace psi::testing
