#include "predicate_shapes.h"

#include <array>
#include <utility>

#include "psi/ir/builder.h"

namespace psi::bench {
namespace {

// A function `$f(%x: i32)` of one block.
class Maker {
 public:
  Maker() : function_(module_.add_function(module_.intern_symbol("f"))), builder_(function_) {
    function_.form = Form::Ssa;
    function_.signature.params = {Type::i32};
    x_ = function_.add_reg(Type::i32);
    function_.params = {x_};
    builder_.at(function_.add_block());
  }

  Operand x() const { return Operand::reg(x_); }
  // A number that nothing else is compared with.
  Operand number() { return Operand::reg(builder_.op(Opcode::Add, Type::i32, {x(), literal(next_++)})); }
  Operand literal(uint64_t value) { return function_.literal(Type::i32, value); }

  // What a branch under `input` on a new condition becomes.
  std::pair<Operand, Operand> branch(Operand input = Operand::always()) { return branch(input, number()); }
  std::pair<Operand, Operand> branch(Operand input, Operand on) {
    auto [then, otherwise] =
        builder_.cmpp(Action::un, Action::uc, Cond::lt, Type::i32, on, literal(7), input);
    return {Operand::reg(then), Operand::reg(otherwise)};
  }
  Operand equals(Operand number, uint64_t constant) {
    return Operand::reg(
        builder_.cmpp(Action::un, Action::none, Cond::eq, Type::i32, number, literal(constant)).first);
  }
  // or, where `input` is true and a number is less than 7, and that no longer being so.
  std::pair<Operand, Operand> parallel_or(Operand old, Operand input) {
    auto [joined, rest] = builder_.cmpp(Action::on, Action::uc, Cond::lt, Type::i32, number(), literal(7),
                                        input, std::array{old});
    return {Operand::reg(joined), Operand::reg(rest)};
  }

  Module finish() {
    builder_.ret();
    return std::move(module_);
  }

 private:
  Module module_;
  Function& function_;
  Builder builder_;
  Reg x_;
  uint64_t next_ = 0;
};

// Branches that have nothing to do with each other.
Module wide(uint64_t predicates) {
  Maker m;
  for (uint64_t i = 0; i < predicates / 2; ++i) m.branch();
  return m.finish();
}

// Each branch inside the one before.
Module chain(uint64_t predicates) {
  Maker m;
  Operand input = Operand::always();
  for (uint64_t i = 0; i < predicates / 2; ++i) input = m.branch(input).first;
  return m.finish();
}

// A number against one constant after the other.
Module one_switch(uint64_t predicates) {
  Maker m;
  Operand number = m.number();
  for (uint64_t i = 0; i < predicates; ++i) m.equals(number, i);
  return m.finish();
}

// `if (a || b) ...`, eight inside each other, then anew.
Module unstructured(uint64_t predicates) {
  Maker m;
  Operand input = Operand::always();
  for (uint64_t i = 0; i < predicates / 4; ++i) {
    auto [a, not_a] = m.branch(i % 8 == 0 ? Operand::always() : input);
    input = m.parallel_or(a, not_a).first;
  }
  return m.finish();
}

constexpr std::array<PredicateShape, 4> kShapes = {{
    {"wide", wide},
    {"chain", chain},
    {"switch", one_switch},
    {"unstructured", unstructured},
}};

}  // namespace

std::span<const PredicateShape> predicate_shapes() { return kShapes; }

}  // namespace psi::bench
