// Simplifies induction variables.
//
//       %i = phi [@b: 0], [@l: %i1]             %w = phi [@b: 0], [@l: %w1]
//       %j = phi [@b: 5], [@l: %j1]       ==>   %q = ptrindex %p, %w, 4, 0
//       %x = sext.i32.i64 %i                    ...
//       %q = ptrindex %p, %x, 4, 0              %w1 = add.i64 %w, 1
//       ...                                     %c = cmp.lt.i64 %w1, 100
//       %i1 = add.i32 %i, 1                     br %c, @l, @after
//       %j1 = add.i32 %j, 1                   @after:
//       %c = cmp.le.i32 %i1, 99                 ret 105
//       br %c, @l, @after
//     @after:
//       ret %j1
//
// Values do not wrap in the wider type, so a variable is widened only where its start, step and exit test
// show that it does not wrap in its own; there are no flags to say so. Guarded increments are left alone.
//
// Requires: SSA form. Ensures: the same; blocks and their order unchanged; but for strength-reduce=on, no
// more instructions than before. Linear for each step.
#include "psi/optimise/induction.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "optimise/loops/induction_steps.h"
#include "psi/analysis/cfg.h"
#include "psi/analysis/dominators.h"
#include "psi/analysis/loops.h"
#include "psi/analysis/order.h"
#include "psi/analysis/uses.h"
#include "psi/cfg/unreachable.h"
#include "psi/ir/edits.h"

namespace psi {
namespace optimise {

bool InductionContext::comes_before(Reg a, Reg b) const {
  InstId first = definition(a), second = definition(b);
  if (!first || !second) return !first;
  const Uses& uses = analyses.get<Uses>();
  if (uses.block(first) == uses.block(second)) return uses.position(first) < uses.position(second);
  return analyses.get<Dominators>().dominates(uses.block(first), uses.block(second));
}

namespace {

InstId make(Function& function, Opcode op, Reg result, std::span<const Operand> operands) {
  Inst inst;
  inst.op = op;
  Type type = function.type(result);
  inst.type = op == Opcode::PtrAdd || op == Opcode::PtrIndex ? Type::none : type;
  if (info(op).format == Format::Convert) inst.set_from(function.type(operands[0]));
  inst.results[0] = result;
  return function.add_inst(inst, operands);
}

}  // namespace

Reg InductionContext::insert_at_head(BlockId b, Opcode op, Type type,
                                     std::initializer_list<Operand> operands) {
  if (b != counted) {
    counted = b, num_phis = 0;
    while (function.inst(function.insts(b)[num_phis]).is_phi()) ++num_phis;
  }
  return insert(b, num_phis, op, type, operands);
}

Reg InductionContext::insert_at_end(BlockId b, Opcode op, Type type,
                                    std::initializer_list<Operand> operands) {
  size_t position = function.insts(b).size() - function.terminators(b).size();
  return insert(b, static_cast<uint32_t>(position), op, type, operands);
}

Reg InductionContext::insert_behind(InstId old, Opcode op, Type type,
                                    std::initializer_list<Operand> operands) {
  return insert(analyses.get<Uses>().block(old), analyses.get<Uses>().position(old) + 1, op, type, operands);
}

Reg InductionContext::insert(BlockId b, uint32_t position, Opcode op, Type type,
                             std::initializer_list<Operand> operands) {
  Reg result = function.add_reg(type);
  insertions.push_back({b, position, make(function, op, result, {operands.begin(), operands.size()})});
  return result;
}

InductionContext::Counter InductionContext::add_counter(const InductionVariable& like, Type type,
                                                        Operand start, Operand step) {
  const Loops& loops = analyses.get<Loops>();
  Counter counter{function.add_reg(type), function.add_reg(type)};
  std::vector<Operand> pairs;
  for (Operand operand : std::as_const(function).operands(definition(like.phi))) {
    if (!operand.is_block()) continue;
    bool inside = loops.contains(like.loop, operand.block());
    pairs.insert(pairs.end(), {operand, inside ? Operand::reg(counter.next) : start});
  }
  insertions.push_back({loops.header(like.loop), 0, make(function, Opcode::Phi, counter.phi, pairs)});
  InstId old = definition(like.next);
  Opcode op = type == Type::ptr ? Opcode::PtrAdd : Opcode::Add;
  InstId next = make(function, op, counter.next, std::array{Operand::reg(counter.phi), step});
  insertions.push_back({analyses.get<Uses>().block(old), analyses.get<Uses>().position(old) + 1, next});
  return counter;
}

void InductionContext::apply() {
  // Instructions are numbered in the order in which they were made.
  std::ranges::sort(insertions, {}, [](const Insertion& i) { return std::pair(i.block, i.inst); });
  BlockEdits edits;
  for (size_t i = 0; i < insertions.size(); ++i) {
    edits.insert_before(insertions[i].position, insertions[i].inst);
    bool is_last = i + 1 == insertions.size() || insertions[i + 1].block != insertions[i].block;
    if (is_last) edits.apply(function, insertions[i].block);
  }
  insertions.clear();
  analyses.drop(Keeps::ControlFlow);
}

BlockId InductionContext::preheader(LoopId loop) const {
  BlockId found;
  bool several = false;
  BlockId header = analyses.get<Loops>().header(loop);
  analyses.get<Cfg>().for_each_distinct_predecessor(header, [&](BlockId p) {
    if (analyses.get<Loops>().contains(loop, p)) return;
    several |= static_cast<bool>(found);
    found = p;
  });
  // A block in another loop would execute it more often than this loop is entered.
  bool is_outside = found && analyses.get<Loops>().of(found) == analyses.get<Loops>().parent(loop);
  return several || !is_outside ? BlockId() : found;
}

}  // namespace optimise

void induction(Function& function, Analyses& analyses, const InductionOptions& options, Counters& counters,
               Remarks* remarks) {
  if (analyses.get<Order>().num_reachable() < function.layout().size()) {
    dce_unreachable(function, analyses, counters);
    analyses.drop(Keeps::Nothing);
  }
  if (analyses.get<Loops>().num_loops() == 0) return;
  const Target& target = options.target ? *options.target : targets().front();
  auto reduce = [&](optimise::InductionContext& context) {
    return optimise::reduce_strength(context, options.reduce);
  };
  std::optional<InductionVariables> variables;
  auto run = [&](auto step) {
    if (!variables) variables.emplace(function, analyses);
    optimise::InductionContext context{function, analyses, *variables, target, counters, remarks};
    if (step(context)) variables.reset();
  };
  run(optimise::replace_final_values);
  run(optimise::merge_variables);
  run(optimise::simplify_exit_tests);
  run(optimise::remove_dead_variables);
  if (options.reduce != StrengthReduction::Off) run(reduce);
  run(optimise::widen_variables);
  run(optimise::simplify_exit_tests);  // a wider type has literals that the narrow one had not
  run(optimise::remove_dead_variables);
}

void induction(PassContext& context) {
  std::string_view reduce = context.arguments.word("strength-reduce");
  InductionOptions options{.reduce = reduce == "on"    ? StrengthReduction::On
                                     : reduce == "off" ? StrengthReduction::Off
                                                       : StrengthReduction::Auto,
                           .target = &context.target()};
  induction(context.function, context.analyses, options, context.counters, context.remarks);
}

}  // namespace psi
