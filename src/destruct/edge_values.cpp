#include "destruct/edge_values.h"

#include "psi/ir/views.h"

namespace psi::destruct {
namespace {

// The most branches above that are considered.
constexpr int kMaxBranches = 8;

}  // namespace

// The condition of an edge holds wherever its target, if it has no other predecessor, dominates: a value does
// not change without a path through the edge again.
Reg EdgeValues::find(BlockId from, BlockId to, Operand literal) const {
  for (int i = 0; i < kMaxBranches && from; ++i) {
    if (Reg known = equal_on_edge(from, to, literal)) return known;
    to = from;
    while (to && cfg_.predecessors(to).size() != 1) to = dominators_.idom(to);
    if (!to) break;
    from = cfg_.predecessors(to).front();
  }
  return Reg();
}

Reg EdgeValues::equal_on_edge(BlockId from, BlockId to, Operand literal) const {
  std::span<const InstId> terminators = function_.terminators(from);
  if (terminators.size() != 1) return Reg();
  const Inst& inst = function_.inst(terminators[0]);
  Type type = literal.literal_type();
  if (inst.op == Opcode::Switch) {
    Reg known;
    SwitchView choice = as_switch(function_, inst);
    if (!choice.value.is_reg() || inst.type != type || choice.otherwise == to) return Reg();
    for (SwitchCase one : choice.cases) {
      if (one.target != to) continue;
      if (known || one.literal != literal) return Reg();
      known = choice.value.reg();
    }
    return known;
  }
  if (!inst.is_branch()) return Reg();
  BranchView branch = as_branch(function_, inst);
  if (!branch.condition.is_reg() || branch.then == branch.otherwise) return Reg();
  bool taken = branch.then == to;
  if (type == Type::i1) return literal == Operand::truth(taken) ? branch.condition.reg() : Reg();
  InstId definition = uses_.definition(branch.condition.reg());
  if (!definition) return Reg();
  const Inst& cmp = function_.inst(definition);
  if (cmp.op != Opcode::Cmp || cmp.guard || cmp.type != type || is_float(type)) return Reg();
  if (cmp.cond() != (taken ? Cond::eq : Cond::ne)) return Reg();
  auto [left, right] = as_compared(function_, cmp);
  return left.is_reg() && right == literal ? left.reg() : Reg();
}

}  // namespace psi::destruct
