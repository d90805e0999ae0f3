#include "scramble/function_facts.h"

#include <algorithm>

#include "psi/analysis/dominators.h"
#include "psi/analysis/uses.h"

namespace psi::scramble {
namespace {

const Uses& fresh_uses(Analyses& analyses) {
  analyses.drop(Keeps::ControlFlow);
  return analyses.get<Uses>();
}

}  // namespace

FunctionFacts::FunctionFacts(ScrambleContext& context)
    : function_(context.function),
      uses_(fresh_uses(context.analyses)),
      dominators_(context.analyses.get<Dominators>()),
      facts_(context.function, context.analyses),
      num_regs_(context.function.num_regs()),
      calls_(context.function.num_insts()),
      block_calls_(context.function.num_blocks()),
      registers_(kNumTypes) {
  auto add = [&](Reg r) { registers_[static_cast<size_t>(function_.type(r))].push_back(r); };
  for (Reg param : function_.params) add(param);
  for (BlockId b : context.blocks()) {
    for (InstId id : function_.insts(b)) {
      calls_[id.index()] = block_calls_[b.index()];
      const Inst& inst = function_.inst(id);
      block_calls_[b.index()] += inst.op == Opcode::Call;
      for (Reg result : inst.results) {
        if (result) add(result);
      }
    }
  }
}

bool FunctionFacts::is_available(Operand value, BlockId b, uint32_t position) const {
  if (!value.reads_reg()) return true;
  InstId id = definition(value.reg());
  if (!id) return uses_.is_param(value.reg());
  if (block(id) == b) return this->position(id) < position;
  return dominators_.is_reachable(b) && dominators_.dominates(block(id), b);
}

std::vector<Reg> FunctionFacts::some_registers(Type type, size_t count, Dice& dice) const {
  const std::vector<Reg>& all = registers_[static_cast<size_t>(type)];
  std::vector<Reg> some;
  for (size_t i = 0; i < count && !all.empty(); ++i) some.push_back(all[dice.below(all.size())]);
  return some;
}

Term FunctionFacts::united(std::span<const Argument> arguments) {
  Term all = Term::never();
  for (const Argument& argument : arguments) all = either(all, term(argument.guard));
  return all;
}

Term FunctionFacts::merged(std::span<const Argument> arguments) {
  Term merged = term(arguments[0].value);
  for (const Argument& argument : arguments.subspan(1)) {
    Term guard = term(argument.guard);
    merged = facts_.predicates().terms().choose(guard, term(argument.value), merged);
  }
  return merged;
}

bool FunctionFacts::is_consistent(std::span<const Argument> arguments) {
  return std::ranges::all_of(arguments.subspan(1), [&](const Argument& argument) {
    return contains(domain(argument.value), term(argument.guard));
  });
}

}  // namespace psi::scramble
