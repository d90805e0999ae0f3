#include "shapes.h"

#include <algorithm>
#include <array>
#include <tuple>
#include <utility>
#include <vector>

#include "programs.h"
#include "psi/ir/builder.h"

namespace psi::bench {
namespace {

// A function `$f(%x: i32) -> i32` that grows by blocks; all values are i32.
class Maker {
 public:
  Maker() : function_(module_.add_function(module_.intern_symbol("f"))), builder_(function_) {
    function_.signature = {Type::i32, {Type::i32}, false};
    x_ = function_.add_reg(Type::i32);
    function_.params = {x_};
    builder_.at(function_.add_block());
  }

  Reg x() const { return x_; }
  Builder& builder() { return builder_; }
  BlockId block() { return function_.add_block(); }
  void at(BlockId b) { builder_.at(b); }
  // From here on in a new block, to which the last one branches.
  BlockId next_block() {
    BlockId b = block();
    builder_.br(b);
    at(b);
    return b;
  }

  Reg variable() { return function_.add_reg(Type::i32); }
  std::vector<Reg> variables(uint64_t count) {
    std::vector<Reg> result;
    for (uint64_t i = 0; i < count; ++i) result.push_back(variable());
    return result;
  }
  // Gives each its first value.
  void start(std::span<const Reg> variables) {
    for (Reg v : variables) assign(v, Opcode::Add, reg(x_), literal(v.index()));
  }
  void assign(Reg v, Opcode op, Operand a, Operand b) {
    builder_.into(v);
    builder_.op(op, Type::i32, {a, b});
  }
  Operand temporary(Opcode op, Operand a, Operand b) { return reg(builder_.op(op, Type::i32, {a, b})); }
  Operand less(Operand a, Operand b) { return reg(builder_.cmp(Cond::lt, Type::i32, a, b)); }
  static Operand reg(Reg r) { return Operand::reg(r); }
  Operand literal(uint64_t value) { return function_.literal(Type::i32, value); }

  // Reads them all and returns.
  Module finish(std::span<const Reg> variables) {
    Operand sum = reg(x_);
    for (Reg v : variables) sum = temporary(Opcode::Xor, sum, reg(v));
    builder_.ret(sum);
    return std::move(module_);
  }

 private:
  Module module_;
  Function& function_;
  Builder builder_;
  Reg x_;
};

// A chain of if/else that set two or three of 16 variables.
Module diamonds(uint64_t insts) {
  Maker m;
  std::vector<Reg> v = m.variables(16);
  m.start(v);
  for (uint64_t i = 0; i < insts / 9; ++i) {
    Reg a = v[i % 16], b = v[i * 5 % 16], c = v[i * 7 % 16];
    BlockId then = m.block(), otherwise = m.block(), join = m.block();
    m.builder().br(m.less(m.reg(a), m.reg(b)), then, otherwise);
    m.at(then);
    m.assign(a, Opcode::Add, m.reg(a), m.literal(i));
    m.assign(c, Opcode::Mul, m.reg(b), m.reg(a));
    m.builder().br(join);
    m.at(otherwise);
    m.assign(b, Opcode::Sub, m.reg(b), m.reg(c));
    m.assign(c, Opcode::Xor, m.reg(c), m.literal(i));
    m.builder().br(join);
    m.at(join);
    m.assign(a, Opcode::Or, m.reg(a), m.reg(c));
  }
  return m.finish(v);
}

// Nested loops that are left at the bottom:
//
//     entry -> header 1 -> ... -> header d -> latch d -> ... -> latch 1 -> exit,  latch i -> header i
//
// The frontier of header i and of latch i is {header 1, ..., header i}: quadratic in all. One variable is set
// in the innermost loop, one at every eighth header, one at every latch; one is only read inside.
Module ladder(uint64_t insts) {
  Maker m;
  uint64_t depth = std::max<uint64_t>(insts / 6, 1);
  std::vector<Reg> v = m.variables(4);
  auto [inner, eighth, count, outer] = std::tuple(v[0], v[1], v[2], v[3]);
  m.start(v);
  std::vector<BlockId> headers;
  for (uint64_t i = 0; i < depth; ++i) {
    headers.push_back(m.next_block());
    if (i % 8 == 0) {
      m.assign(eighth, Opcode::Add, m.reg(eighth), m.literal(i));
    } else {
      m.temporary(Opcode::Add, m.reg(eighth), m.literal(i));
    }
  }
  m.assign(inner, Opcode::Add, m.reg(inner), m.reg(outer));
  for (uint64_t i = depth; i-- > 0;) {
    m.next_block();
    m.assign(count, Opcode::Add, m.reg(count), m.reg(inner));
    Operand again = m.less(m.reg(count), m.literal(i));
    BlockId after = m.block();
    m.builder().br(again, headers[i], after);
    m.at(after);
  }
  return m.finish(v);
}

// A dominator tree as deep as the function has blocks: each may go on to the next or to the exit. Every
// fourth sets one of four variables.
Module chain(uint64_t insts) {
  Maker m;
  std::vector<Reg> v = m.variables(4);
  m.start(v);
  BlockId exit = m.block();
  for (uint64_t i = 0; i < insts / 3; ++i) {
    BlockId next = m.block();
    if (i % 4 == 0) {
      m.assign(v[i / 4 % 4], Opcode::Add, m.reg(v[i / 4 % 4]), m.literal(i));
    } else {
      m.temporary(Opcode::Add, m.reg(v[i % 4]), m.literal(i));
    }
    m.builder().br(m.less(m.reg(v[i % 4]), m.literal(i)), next, exit);
    m.at(next);
  }
  m.builder().br(exit);
  m.at(exit);
  return m.finish(v);
}

// The same chain with many variables, none of which lives at the exit, where all of them join: each is set in
// a block and in the next one, and read in the one after. Like checks that branch to a common trap.
Module checks(uint64_t insts) {
  Maker m;
  BlockId exit = m.block();
  Reg before = m.variable(), last = m.variable();
  m.start(std::array{before, last});
  for (uint64_t i = 0; i < insts / 5; ++i) {
    BlockId next = m.block();
    Reg v = m.variable();
    m.assign(v, Opcode::Add, m.reg(last), m.literal(i));
    m.assign(last, Opcode::Mul, m.reg(last), m.reg(before));
    m.assign(v, Opcode::Xor, m.reg(v), m.reg(last));
    m.builder().br(m.less(m.reg(v), m.literal(i)), next, exit);
    m.at(next);
    before = last;
    last = v;
  }
  m.builder().br(exit);
  m.at(exit);
  return m.finish({});
}

// A loop around one switch, whose cases set two of eight variables each and meet in one block.
Module one_switch(uint64_t insts) {
  Maker m;
  std::vector<Reg> v = m.variables(8);
  m.start(v);
  m.next_block();
  BlockId header = m.builder().block(), join = m.block();
  std::vector<Operand> cases;
  for (uint64_t i = 0; i < std::max<uint64_t>(insts / 3, 1); ++i) {
    cases.push_back(m.literal(i));
    cases.push_back(Operand::block(m.block()));
  }
  m.builder().switch_on(Type::i32, m.reg(v[0]), join, cases);
  for (uint64_t i = 0; i < cases.size() / 2; ++i) {
    m.at(cases[2 * i + 1].block());
    m.assign(v[i % 8], Opcode::Add, m.reg(v[i % 8]), m.literal(i));
    m.assign(v[(i * 3 + 1) % 8], Opcode::Xor, m.reg(v[i % 8]), m.reg(v[(i + 5) % 8]));
    m.builder().br(join);
  }
  m.at(join);
  BlockId exit = m.block();
  m.builder().br(m.less(m.reg(v[1]), m.reg(v[2])), header, exit);
  m.at(exit);
  return m.finish(v);
}

// An eighth as many variables as instructions, in groups of four that are set in the same two arms of a chain
// of diamonds in a loop, far from each other, and are all read at the end.
Module many_variables(uint64_t insts) {
  constexpr uint64_t kGroup = 4;
  Maker m;
  uint64_t num_diamonds = std::max<uint64_t>(insts / 24, 1);
  std::vector<Reg> v = m.variables(std::max<uint64_t>(insts / 8 / kGroup, 1) * kGroup);
  std::vector<std::vector<uint64_t>> groups(num_diamonds);  // by diamond: those it sets
  for (uint64_t g = 0; g < v.size() / kGroup; ++g) {
    groups[g * 2654435761 % num_diamonds].push_back(g);
    groups[(g * 40503 + num_diamonds / 2) % num_diamonds].push_back(g);
  }
  m.start(v);
  Reg iteration = m.variable();
  m.start(std::array{iteration});
  BlockId header = m.next_block();
  for (uint64_t i = 0; i < num_diamonds; ++i) {
    BlockId then = m.block(), otherwise = m.block(), join = m.block();
    m.builder().br(m.less(m.reg(iteration), m.literal(i)), then, otherwise);
    m.at(then);
    for (uint64_t g : groups[i]) {
      for (uint64_t k = g * kGroup; k < (g + 1) * kGroup; ++k) {
        Operand square = m.temporary(Opcode::Mul, m.reg(iteration), m.literal(k));
        m.assign(v[k], Opcode::Add, square, m.literal(i));
      }
    }
    m.builder().br(join);
    m.at(otherwise);
    m.builder().br(join);
    m.at(join);
  }
  m.assign(iteration, Opcode::Add, m.reg(iteration), m.reg(v[0]));
  BlockId exit = m.block();
  m.builder().br(m.less(m.reg(iteration), m.reg(m.x())), header, exit);
  m.at(exit);
  return m.finish(v);
}

// Loops of one block each with rows of guarded definitions of eight variables, under pairs of predicates.
Module guarded(uint64_t insts) {
  constexpr uint64_t kRows = 40;  // in a block
  Maker m;
  std::vector<Reg> v = m.variables(8);
  m.start(v);
  for (uint64_t i = 0; i < std::max<uint64_t>(insts / (kRows * 5), 1); ++i) {
    BlockId loop = m.next_block();
    for (uint64_t row = 0; row < kRows; ++row) {
      Reg a = v[row % 8], b = v[(row * 3 + i) % 8];
      auto [p, q] =
          m.builder().cmpp(Action::un, Action::uc, Cond::lt, Type::i32, m.reg(a), m.literal(row + i));
      m.builder().guard(Guard(p, false));
      m.assign(a, Opcode::Add, m.reg(b), m.literal(row));
      m.assign(b, Opcode::Xor, m.reg(b), m.reg(a));
      m.builder().guard(Guard(q, false));
      m.assign(a, Opcode::Sub, m.reg(a), m.reg(b));
      m.builder().guard(Guard());
      m.assign(v[(row + 1) % 8], Opcode::Or, m.reg(v[(row + 1) % 8]), m.reg(a));
    }
    BlockId after = m.block();
    m.builder().br(m.less(m.reg(v[0]), m.literal(i)), loop, after);
    m.at(after);
  }
  return m.finish(v);
}

constexpr std::array<Shape, 8> kShapes = {{
    {"generated", one_function},
    {"diamonds", diamonds},
    {"ladder", ladder},
    {"chain", chain},
    {"checks", checks},
    {"switch", one_switch},
    {"variables", many_variables},
    {"guarded", guarded},
}};

}  // namespace

std::span<const Shape> shapes() { return kShapes; }

SymbolId largest_function(const Module& module) {
  SymbolId largest;
  uint32_t most = 0;
  for (SymbolId symbol : module.declarations()) {
    if (module.kind(symbol) != SymbolKind::Function) continue;
    uint32_t size = module.function(symbol).num_insts();
    if (largest && size <= most) continue;
    largest = symbol;
    most = size;
  }
  return largest;
}

}  // namespace psi::bench
