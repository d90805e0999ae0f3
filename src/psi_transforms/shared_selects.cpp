#include "psi_transforms/shared_selects.h"

#include <span>
#include <utility>

namespace psi::psi_transforms {
namespace {

size_t num_operands(Opcode op) {
  return op == Opcode::Select ? 3 : op == Opcode::Not || op == Opcode::Freeze ? 1 : 2;
}

}  // namespace

Operand SharedSelects::select(Operand guard, Operand value, Operand otherwise) {
  if (value == otherwise || otherwise.is_undef()) return value;
  if (value.is_undef()) return otherwise;
  if (guard.is_negated()) std::swap(value, otherwise);
  return make({Opcode::Select, {Operand::reg(guard.reg()), value, otherwise}});
}

Operand SharedSelects::frozen(Operand condition) { return make({Opcode::Freeze, {condition}}); }

Operand SharedSelects::either(Operand a, Operand b) {
  if (a == b) return a;
  if (a.is_negated() && b.is_negated()) {
    return Operand::not_reg(make({Opcode::And, {Operand::reg(a.reg()), Operand::reg(b.reg())}}).reg());
  }
  return make({Opcode::Or, {positive(a), positive(b)}});
}

Operand SharedSelects::positive(Operand guard) {
  return guard.is_negated() ? make({Opcode::Not, {Operand::reg(guard.reg())}}) : guard;
}

Operand SharedSelects::make(const Key& key) {
  bool is_select = key.op == Opcode::Select;
  auto [found, is_new] = made_.try_emplace(key);
  if (!is_new && dominators_.dominates(found->second.block, block_)) {
    ++(is_select ? shared_ : shared_predicates_);
    return Operand::reg(found->second.reg);
  }
  ++(is_select ? selects_ : predicates_);
  found->second = {add(key), block_};
  return Operand::reg(found->second.reg);
}

Reg SharedSelects::add(const Key& key) {
  std::span<const Operand> operands(key.operands.data(), num_operands(key.op));
  if (is_last_) {
    rewrite(key.op, operands);
    return function_.inst(psi_).results[0];
  }
  Inst inst;
  inst.op = key.op;
  inst.type = key.op == Opcode::Select ? function_.inst(psi_).type : Type::i1;
  inst.results[0] = function_.add_reg(inst.type);
  InstId id = function_.add_inst(inst, operands);
  function_.copy_place(psi_, id);
  edits_.insert_before(position_, id);
  return inst.results[0];
}

void SharedSelects::rewrite(Opcode op, std::span<const Operand> operands) {
  function_.inst(psi_).op = op;
  function_.set_operands(psi_, operands);
}

void SharedSelects::report(Counters& counters) const {
  auto add = [&](const char* name, uint64_t count) {
    if (count > 0) counters.add(name, count);
  };
  add("selects made", selects_);
  add("selects shared", shared_);
  add("predicates made", predicates_);
  add("predicates shared", shared_predicates_);
}

}  // namespace psi::psi_transforms
