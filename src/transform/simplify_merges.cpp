// Phis and psis of equal values, and of equal operations on different values.
//
//     %x = phi [@a: %u], [@b: %v]        %w = phi [@a: %p], [@b: %q]
//     where %u = zext %p, %v = zext %q   %x = zext %w
#include <vector>

#include "transform/simplify_steps.h"

namespace psi::transform {
namespace {

// May one of these stand behind the merge instead of one before each argument?
bool may_sink(const Inst& inst) {
  switch (inst.format()) {
    case Format::Binary:
    case Format::Unary:
    case Format::Convert:
    case Format::Compare:
    case Format::PtrAdd:
      return info(inst.op).effect == Effect::Pure && inst.op != Opcode::Freeze;
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
  std::span<const Operand> pairs = function.operands(id);
  for (size_t i = 1; i < pairs.size(); i += 2) {
    if (pairs[i] == self) continue;
    if (common.is_none()) common = pairs[i];
    if (pairs[i] != common) return {};
  }
  return common.is_none() ? Operand::undef(function.inst(id).result_type()) : common;
}

}  // namespace

const char* simplify_phi(SimplifyGraph& graph, InstId id) {
  Function& function = graph.function();
  if (Operand common = common_value(graph, id); !common.is_none()) {
    return graph.replace(function.inst(id).results[0], common) ? "phi of one value" : nullptr;
  }
  std::span<const Operand> pairs = std::as_const(function).operands(id);
  InstId first = graph.definition(pairs[1]);
  if (!first || graph.is_dead(first) || graph.is_guarding(function.inst(id).results[0])) return nullptr;
  const Inst operation = function.inst(first);
  if (!may_sink(operation) || operation.count > 2) return nullptr;
  // One operand may differ; the other must be a literal, which is there wherever the phi is.
  std::span<const Operand> operands = std::as_const(function).operands(first);
  Operand fixed = operation.count == 2 ? graph.value(operands[1]) : Operand();
  if (operation.count == 2 && !fixed.is_literal()) return nullptr;
  std::vector<Operand> arguments;
  for (size_t i = 0; i < pairs.size(); i += 2) {
    InstId definition = graph.definition(pairs[i + 1]);
    if (!definition || graph.is_dead(definition) || graph.num_uses(pairs[i + 1].reg()) != 1) return nullptr;
    const Inst& inst = function.inst(definition);
    if (inst.guard || !is_same_operation(inst, operation)) return nullptr;
    std::span<const Operand> other = std::as_const(function).operands(definition);
    if (operation.count == 2 && graph.value(other[1]) != fixed) return nullptr;
    arguments.insert(arguments.end(), {pairs[i], graph.value(other[0])});
  }
  // In a loop, an induction variable would get a second register.
  for (size_t i = 1; i < arguments.size(); i += 2) {
    if (arguments[i] == Operand::reg(function.inst(id).results[0])) return nullptr;
  }
  graph.sink_below_phi(id, operation, arguments, fixed);
  return "phi of one operation";
}

const char* simplify_psi(SimplifyGraph& graph, InstId id) {
  Function& function = graph.function();
  Operand common = common_value(graph, id);
  if (!common.is_none() && graph.replace(function.inst(id).results[0], common)) return "psi of one value";
  std::span<const Operand> pairs = std::as_const(function).operands(id);
  std::vector<Operand> arguments;
  for (size_t i = 0; i < pairs.size(); i += 2) {
    Operand predicate = complemented(graph, pairs[i]);
    if (predicate.is_none()) continue;
    if (arguments.empty()) arguments.assign(pairs.begin(), pairs.end());
    arguments[i] = Operand::predicate(predicate.reg(), !pairs[i].is_negated());
  }
  if (arguments.empty()) return nullptr;
  graph.rewrite(id, function.inst(id), arguments);
  return "guard of complement";
}

}  // namespace psi::transform
