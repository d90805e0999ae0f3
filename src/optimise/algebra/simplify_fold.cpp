// Copies, operations on literals and undef, operands in order.
#include <algorithm>
#include <array>
#include <tuple>

#include "optimise/algebra/simplify_steps.h"
#include "psi/ir/evaluate.h"
#include "psi/ir/views.h"

namespace psi::optimise {
namespace {

// Is the result undef if one operand is?
bool is_strict(const Inst& inst) {
  switch (inst.format()) {
    case Format::Binary:
      return inst.is_pure() && !(inst.type == Type::i1 && (inst.op == Opcode::And || inst.op == Opcode::Or));
    case Format::Unary:
      return inst.op != Opcode::Freeze;
    case Format::Ternary:
    case Format::Overflow:
    case Format::Compare:
    case Format::Convert:
    case Format::PtrAdd:
    case Format::PtrIndex:
      return true;
    default:
      return false;
  }
}

bool reads_constants(std::span<const Operand> operands) {
  return std::ranges::any_of(operands, [](Operand o) { return o.is_literal() || o.is_undef(); });
}

bool replace(SimplifyGraph& graph, InstId id, Operand by) {
  return graph.replace(graph.function().inst(id).results[0], by);
}

const char* fold_undef(SimplifyGraph& graph, InstId id) {
  Function& function = graph.function();
  const Inst& inst = function.inst(id);
  std::span<const Operand> operands = std::as_const(function).operands(id);
  Type type = inst.result_type();
  auto undef = [&](size_t i) { return operands[i].is_undef(); };
  Operand by;
  if (is_strict(inst)) {
    for (Operand operand : operands) {
      if (operand.is_undef()) by = Operand::undef(type);
    }
  } else if (inst.op == Opcode::And || inst.op == Opcode::Or) {
    // False or undef, true or undef.
    if (undef(0) || undef(1)) by = function.literal(Type::i1, uint64_t{inst.op == Opcode::Or});
  } else if (inst.op == Opcode::Select) {
    if (undef(0)) by = Operand::undef(type);
    if (undef(1)) by = operands[2];
    if (undef(2)) by = operands[1];
  } else if (inst.op == Opcode::Freeze) {
    if (undef(0)) by = function.literal(type, uint64_t{0});
  }
  return !by.is_none() && replace(graph, id, by) ? "undef" : nullptr;
}

const char* fold_literals(SimplifyGraph& graph, InstId id) {
  Function& function = graph.function();
  const Inst& inst = function.inst(id);
  std::span<const Operand> operands = std::as_const(function).operands(id);
  std::array<Value, 3> values;
  if (!inst.results[0] || inst.results[1] || operands.empty() || operands.size() > values.size())
    return nullptr;
  for (size_t i = 0; i < operands.size(); ++i) {
    if (!operands[i].is_literal()) return nullptr;
    values[i] = {function.literal_bits(operands[i]), false};
  }
  if (!inst.computes()) return nullptr;
  std::optional<Value> value;
  if (inst.op == Opcode::Freeze) {
    value = values[0];
  } else if (inst.format() != Format::Phi && inst.format() != Format::Psi) {
    value = evaluate(inst, std::span(values).first(operands.size()), function.pointer_bits);
  }
  if (!value) return nullptr;
  Type type = inst.result_type();
  // An address that is not null has no literal.
  if (type == Type::ptr && value->bits != 0) return nullptr;
  Operand by = value->undef ? Operand::undef(type) : function.literal(type, value->bits);
  return replace(graph, id, by) ? "literals" : nullptr;
}

}  // namespace

const char* fold(SimplifyGraph& graph, InstId id) {
  const Inst& inst = graph.function().inst(id);
  std::span<const Operand> operands = std::as_const(graph.function()).operands(id);
  if (inst.is_copy()) return replace(graph, id, copied(graph.function(), id)) ? "copy" : nullptr;
  if (inst.op == Opcode::Freeze && operands[0].is_reg()) {
    InstId definition = graph.definition(operands[0]);
    bool again = definition && graph.function().inst(definition).op == Opcode::Freeze;
    return again && replace(graph, id, operands[0]) ? "freeze of freeze" : nullptr;
  }
  if (!reads_constants(operands)) return nullptr;
  if (const char* done = fold_literals(graph, id)) return done;
  return fold_undef(graph, id);
}

// Registers by number, symbols, literals.
const char* order_operands(SimplifyGraph& graph, InstId id) {
  Function& function = graph.function();
  const Inst& inst = function.inst(id);
  bool is_compare = inst.op == Opcode::Cmp;
  if (!is_compare && !is_commutative(inst.op)) return nullptr;
  std::span<const Operand> operands = std::as_const(function).operands(id);
  auto rank = [](Operand operand) {
    return std::tuple(operand.is_literal()  ? 2
                      : operand.is_symbol() ? 1
                                            : 0,
                      operand.is_reg() ? operand.reg().index() : 0);
  };
  if (rank(operands[0]) <= rank(operands[1])) return nullptr;
  std::array<Operand, 3> exchanged = {operands[1], operands[0]};
  if (operands.size() == 3) exchanged[2] = operands[2];
  Inst record = inst;
  if (is_compare) record.set_cond(swap_operands(inst.cond()));
  graph.rewrite(id, record, std::span(exchanged).first(operands.size()));
  return "order of operands";
}

}  // namespace psi::optimise
