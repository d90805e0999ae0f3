// The builder's ifs, loops and guarded code: blocks, branches and merges around what callables build. A block
// that both sides lead to is made when they are done, so that the text has the blocks in the order of
// reading, and the branch that leads to all of them is added then.

#include <fmt/format.h>

#include <algorithm>

#include "ir/check_inst.h"
#include "psi/ir/builder.h"

namespace psi {

Guard Builder::begin_branches() {
  if (guard_) misuse("an if or a loop within guarded code, where there are no branches");
  Guard before = guard_;
  guard_ = Guard();
  return before;
}

BlockId Builder::begin_side(std::string_view name) { return start_block(name); }

Builder::Side Builder::end_side(Input value) { return {is_open() ? block_ : BlockId(), Guard(), value}; }

Reg Builder::end_if(Input condition, BlockId head, std::span<const BlockId> begins,
                    std::span<const Side> sides, bool has_value, std::string_view name) {
  bool is_ssa_form = is_ssa(function_.form);
  bool goes_on =
      begins.size() == 1 || std::ranges::any_of(sides, [](const Side& side) { return bool(side.end); });
  BlockId join = goes_on ? function_.add_block("end") : BlockId();
  resume(head);
  br(condition, begins[0], begins.size() == 1 ? join : begins[1]);

  Type type = Type::none;
  for (const Side& side : sides) {
    if (type == Type::none) type = type_of(side.value);
  }
  Reg result = has_value && !is_ssa_form ? function_.add_reg(type, name) : Reg();
  std::vector<Operand> pairs;
  for (const Side& side : sides) {
    if (!side.end) continue;
    resume(side.end);
    if (has_value) {
      Operand value = resolve(side.value, type);
      pairs.insert(pairs.end(), {side.end, value});
      if (!is_ssa_form) assign(result, value);
    }
    br(join);
  }
  resume(join);
  // Nowhere to go on because of a mistake: it has been told.
  is_lost_ = !goes_on && function_.misuses().has_errors();
  if (!has_value || result) return result;
  return goes_on ? phi(type, pairs, name) : function_.add_reg(type, name);
}

Builder::Loop Builder::begin_loop(std::span<const Operand> initial) {
  Loop loop;
  loop.guard = begin_branches();
  BlockId before = block_;
  bool is_ssa_form = is_ssa(function_.form);
  std::vector<Type> types;
  for (Operand value : initial) {
    types.push_back(type_of(value));
    if (is_ssa_form) continue;
    loop.variables.push_back(function_.add_reg(types.back()));
    assign(loop.variables.back(), value);
  }
  loop.head = function_.add_block("loop");
  br(loop.head);
  resume(loop.head);
  if (!is_ssa_form) return loop;
  for (size_t i = 0; i < initial.size(); ++i) {
    loop.variables.push_back(phi(types[i], std::array{Operand(before), initial[i]}));
    std::span<const InstId> insts = function_.insts(loop.head);
    bool is_made = !insts.empty() && function_.inst(insts.back()).results[0] == loop.variables.back();
    loop.phis.push_back(is_made ? insts.back() : InstId());
  }
  return loop;
}

void Builder::end_condition(Loop& loop, Input condition) {
  loop.test_end = block_;
  loop.condition = condition;
  loop.body = start_block("body");
}

void Builder::end_loop(Loop& loop, std::span<const Operand> next) {
  if (is_open()) {
    if (next.size() != loop.variables.size()) {
      misuse(fmt::format("the loop has {}, but its body gives {}", counted(loop.variables.size(), "variable"),
                         counted(next.size(), "value")));
    } else if (is_ssa(function_.form)) {
      update_phis(loop, next);
    } else {
      update_registers(loop, next);
    }
    br(loop.head);
  }
  BlockId exit = function_.add_block("end");
  resume(loop.test_end);
  br(loop.condition, loop.body, exit);
  resume(exit);
  guard_ = loop.guard;
}

void Builder::update_phis(const Loop& loop, std::span<const Operand> next) {
  for (size_t i = 0; i < next.size(); ++i) {
    if (!loop.phis[i]) continue;
    std::span<const Operand> before = function_.operands(loop.phis[i]);
    std::vector<Operand> pairs(before.begin(), before.end());
    pairs.insert(pairs.end(), {block_, next[i]});
    std::string mistake = mistake_in(function_, function_.inst(loop.phis[i]), pairs, module_);
    if (mistake.empty()) {
      function_.set_operands(loop.phis[i], pairs);
    } else {
      misuse(fmt::format("the next value of variable {}: {}", i + 1, mistake));
    }
  }
}

// All at once: a variable that another one gets is saved before it is written.
void Builder::update_registers(const Loop& loop, std::span<const Operand> next) {
  std::vector<Operand> values(next.begin(), next.end());
  for (size_t i = 0; i < values.size(); ++i) {
    bool is_written = values[i].is_reg() && std::find(loop.variables.begin(), loop.variables.begin() + i,
                                                      values[i].reg()) != loop.variables.begin() + i;
    if (is_written) values[i] = op(Opcode::Mov, {values[i]});
  }
  for (size_t i = 0; i < values.size(); ++i) {
    if (values[i] != loop.variables[i]) assign(loop.variables[i], values[i]);
  }
}

// --- Guarded code ---------------------------------------------------------------------------------------

std::pair<Guard, Guard> Builder::begin_guards(Guard guard, bool wants_complement) {
  if (guard.is_always() || type_of(guard.reg()) != Type::i1) {
    misuse("guarded code needs a predicate, which is an i1 register");
    return {};
  }
  if (guard_.is_always()) return {guard, Guard(guard.reg(), !guard.is_negated())};
  // Both the guard that there is and this one.
  Guard outer = guard_;
  guard_ = Guard();
  Cond cond = guard.is_negated() ? Cond::eq : Cond::ne;
  auto [within, without] = cmpp(Action::un, wants_complement ? Action::uc : Action::none, cond, Type::i1,
                                guard.reg(), 0, outer.as_operand());
  guard_ = outer;
  return {Guard(within), without ? Guard(without) : Guard()};
}

Builder::Side Builder::end_guarded(BlockId begin, Input value) {
  // An if within it has been told.
  if (block_ != begin && !function_.misuses().has_errors()) misuse("guarded code leaves its block");
  return {block_, guard_, value};
}

Reg Builder::end_guards(std::span<const Side> sides, std::string_view name) {
  std::vector<Input> values;
  for (const Side& side : sides) values.push_back(side.value);
  Type type = common_type(values);
  if (is_ssa(function_.form)) {
    std::vector<Operand> pairs;
    for (const Side& side : sides) {
      pairs.insert(pairs.end(), {side.guard.as_operand(), resolve(side.value, type)});
    }
    return psi(type, pairs, name);
  }
  Reg result = function_.add_reg(type, name);
  for (const Side& side : sides) {
    guard_ = side.guard;
    assign(result, side.value);
  }
  guard_ = Guard();
  return result;
}

}  // namespace psi
