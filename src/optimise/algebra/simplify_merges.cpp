// Phis and psis of equal values, and of equal operations on different values.
//
//     %x = phi [@a: %u], [@b: %v]        %w = phi [@a: %p], [@b: %q]
//     where %u = zext %p, %v = zext %q   %x = zext %w
#include <vector>

#include "optimise/algebra/simplify_steps.h"
#include "psi/ir/views.h"

namespace psi::optimise {
namespace {

// May one operation after the merge replace one before each argument?
bool may_sink(const Inst& inst) {
  switch (inst.format()) {
    case Format::Binary:
    case Format::Unary:
    case Format::Convert:
    case Format::Compare:
    case Format::PtrAdd:
      return inst.is_pure() && inst.op != Opcode::Freeze;
    default:
      return false;
  }
}

bool is_same_operation(const Inst& a, const Inst& b) {
  return a.op == b.op && a.type == b.type && a.kind == b.kind && a.flags == b.flags && a.count == b.count;
}

// The value that all arguments have that are not the merge itself; none if they differ.
Operand common_value(SimplifyGraph& graph, InstId id) {
  const Function& function = graph.function();
  Operand self = Operand::reg(function.inst(id).results[0]);
  Operand common;
  for (MergeArgument argument : merge_arguments(function, id)) {
    if (argument.value == self) continue;
    if (common.is_none()) common = argument.value;
    if (argument.value != common) return {};
  }
  return common.is_none() ? Operand::undef(function.inst(id).result_type()) : common;
}

}  // namespace

const char* simplify_phi(SimplifyGraph& graph, InstId id) {
  Function& function = graph.function();
  if (Operand common = common_value(graph, id); !common.is_none()) {
    return graph.replace(function.inst(id).results[0], common) ? "phi of one value" : nullptr;
  }
  PhiEntries entries = phi_entries(function, id);
  InstId first = graph.definition(entries.front().value);
  if (!first || graph.is_dead(first) || graph.is_guarding(function.inst(id).results[0])) return nullptr;
  const Inst operation = function.inst(first);
  if (!may_sink(operation) || operation.count > 2) return nullptr;
  // One operand may differ; the other must be a literal, which is there wherever the phi is.
  std::span<const Operand> operands = std::as_const(function).operands(first);
  Operand fixed = operation.count == 2 ? graph.value(operands[1]) : Operand();
  if (operation.count == 2 && !fixed.is_literal()) return nullptr;
  std::vector<Operand> arguments;
  for (auto [from, value] : entries) {
    InstId definition = graph.definition(value);
    if (!definition || graph.is_dead(definition) || graph.num_uses(value.reg()) != 1) return nullptr;
    const Inst& inst = function.inst(definition);
    if (inst.guard || !is_same_operation(inst, operation)) return nullptr;
    std::span<const Operand> other = std::as_const(function).operands(definition);
    if (operation.count == 2 && graph.value(other[1]) != fixed) return nullptr;
    add_phi_entry(arguments, from, graph.value(other[0]));
  }
  // In a loop, an induction variable would get a second register.
  for (PhiEntry entry : phi_entries(arguments)) {
    if (entry.value == Operand::reg(function.inst(id).results[0])) return nullptr;
  }
  graph.sink_below_phi(id, operation, arguments, fixed);
  return "phi of one operation";
}

const char* simplify_psi(SimplifyGraph& graph, InstId id) {
  Function& function = graph.function();
  Operand common = common_value(graph, id);
  if (!common.is_none() && graph.replace(function.inst(id).results[0], common)) return "psi of one value";
  std::span<const Operand> old = std::as_const(function).operands(id);
  std::vector<Operand> operands(old.begin(), old.end());
  bool changes = false;
  for (auto [guard, value] : mutable_psi_arguments(operands)) {
    Operand predicate = complemented(graph, guard);
    if (predicate.is_none()) continue;
    guard = Operand::predicate(predicate.reg(), !guard.is_negated());
    changes = true;
  }
  if (!changes) return nullptr;
  graph.rewrite(id, function.inst(id), operands);
  return "guard of complement";
}

}  // namespace psi::optimise
