// Guards, branches and switches on computed predicates.
//
//     %n = not.i1 %p            !%p ? %x = add %y, 1
//     %n ? %x = add %y, 1       br %p, @b, @a
//     br %n, @a, @b
#include <algorithm>
#include <vector>

#include "optimise/algebra/simplify_steps.h"
#include "psi/ir/views.h"

namespace psi::optimise {
namespace {

const char* simplify_switch(SimplifyGraph& graph, InstId id) {
  Function& function = graph.function();
  std::span<const Operand> operands = std::as_const(function).operands(id);
  InstId definition = graph.definition(as_switch(operands).value);
  if (!definition || graph.is_dead(definition)) return nullptr;
  const Inst& inst = function.inst(definition);
  std::span<const Operand> inner = std::as_const(function).operands(definition);
  Operand from = graph.value(inner[0]);
  bool widens = inst.op == Opcode::Zext || inst.op == Opcode::Sext;
  bool adds = inst.op == Opcode::Add && graph.value(inner[1]).is_literal();
  if ((!widens && !adds) || !from.is_reg()) return nullptr;
  Type type = function.type(from);
  uint64_t added = adds ? function.literal_bits(graph.value(inner[1])) : 0;
  std::vector<Operand> replaced(operands.begin(), operands.end());
  replaced[kCondition] = from;
  for (MutableSwitchCase one : mutable_switch_cases(replaced)) {
    uint64_t bits = function.literal_bits(one.literal);
    if (widens) {
      uint64_t low = bits & value_mask(type);
      uint64_t back = inst.op == Opcode::Zext
                          ? low
                          : static_cast<uint64_t>(sign_extend(low, type)) & value_mask(inst.type);
      if (back != bits) return nullptr;
    }
    one.literal = function.literal(type, bits - added);
  }
  Inst record = function.inst(id);
  record.type = type;
  graph.rewrite(id, record, replaced);
  return adds ? "switch on sum" : "switch on extension";
}

}  // namespace

// A complement under a guard is defined only where the guard is true, and instructions under the complement
// may depend on that.
Operand complemented(SimplifyGraph& graph, Operand operand) {
  InstId definition = graph.definition(operand.reads_reg() ? Operand::reg(operand.reg()) : operand);
  if (!definition || graph.is_dead(definition)) return {};
  const Inst& inst = graph.function().inst(definition);
  if (inst.op != Opcode::Not || inst.guard) return {};
  Operand predicate = graph.value(std::as_const(graph.function()).operands(definition)[0]);
  return predicate.is_reg() ? predicate : Operand();
}

const char* simplify_guard(SimplifyGraph& graph, InstId id) {
  const Inst& inst = graph.function().inst(id);
  if (!inst.guard) return nullptr;
  Operand predicate = complemented(graph, inst.guard.as_operand());
  if (predicate.is_none()) return nullptr;
  graph.set_guard(id, Guard(predicate.reg(), !inst.guard.is_negated()));
  return "guard of complement";
}

const char* simplify_branch(SimplifyGraph& graph, InstId id) {
  Function& function = graph.function();
  const Inst& inst = function.inst(id);
  if (inst.op == Opcode::Switch) return simplify_switch(graph, id);
  if (!inst.is_branch()) return nullptr;
  BranchView branch = as_branch(function, inst);
  Operand predicate = complemented(graph, branch.condition);
  if (predicate.is_none()) return nullptr;
  std::array exchanged = {predicate, Operand::block(branch.otherwise), Operand::block(branch.then)};
  std::span<const uint64_t> counts = function.edge_counts(id);
  if (counts.size() == 2) function.set_edge_counts(id, std::array{counts[1], counts[0]});
  graph.rewrite(id, inst, exchanged);
  return "branch on complement";
}

}  // namespace psi::optimise
