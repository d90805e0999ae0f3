#include "select/legalise/expansions.h"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "psi/ir/views.h"
#include "select/legalise/emitter.h"

namespace psi::select {

bool DescribedExpansions::expand(const Module& module, const Function& function, InstId id, Emitter& emitter,
                                 Operand& result) const {
  // Copies: the function's own move when instructions are added.
  const Inst inst = function.inst(id);
  std::span<const Operand> list = function.operands(id);
  std::vector<Operand> operands(list.begin(), list.end());
  for (const Expansion& expansion : description_.expansions) {
    if (!matches(expansion, function, inst, operands)) continue;
    if (insert(expansion, module, operands, inst.guard, emitter, result)) return true;
  }
  return false;
}

bool DescribedExpansions::matches(const Expansion& expansion, const Function& function, const Inst& inst,
                                  std::span<const Operand> operands) const {
  const Inst& pattern = expansion.pattern;
  if (pattern.op != inst.op || pattern.type != inst.type || expansion.operands.size() != operands.size()) {
    return false;
  }
  bool has_kind = inst.format() == Format::Compare || inst.format() == Format::Convert ||
                  inst.format() == Format::ComparePredicate;
  if (has_kind && pattern.kind != inst.kind) return false;
  if (inst.op == Opcode::Cmpp && pattern.extra != inst.extra) return false;
  // One whole result; others are split or promoted before.
  if (expansion.values.size() != 1 || expansion.values[0].half != Half::Whole) return false;
  for (const Expansion::Part& part : expansion.params) {
    if (part.half != Half::Whole) return false;
  }
  for (size_t i = 0; i < operands.size(); ++i) {
    const Expansion::Operand& wanted = expansion.operands[i];
    if (!wanted.literal && wanted.immediate == kNone) continue;
    if (!operands[i].is_literal()) return false;
    uint64_t bits = function.literal_bits(operands[i]);
    if (wanted.literal && *wanted.literal != bits) return false;
    if (wanted.immediate != kNone &&
        !holds(description_.immediates[wanted.immediate], bits, operands[i].literal_type())) {
      return false;
    }
  }
  return true;
}

bool DescribedExpansions::holds(const Immediate& immediate, uint64_t bits, Type type) const {
  return std::ranges::any_of(immediate.pieces, [&](const ImmediatePiece& piece) {
    if (piece.kind != ImmediatePiece::Kind::Literal) return false;
    LiteralAlternative range = {piece.min, piece.max, piece.multiple, piece.words};
    return range.holds(bits, type);
  });
}

// A psi, of which some guards may be known; in plain form moves to one register.
Operand DescribedExpansions::merge(Emitter& emitter, Type type, std::span<const Operand> arguments) const {
  std::vector<Operand> kept;
  for (auto [guard, value] : psi_arguments(arguments)) {
    if (emitter.is_literal(guard, 0) || guard.is_undef()) continue;
    if (!guard.reads_reg()) kept.clear();
    add_psi_argument(kept, guard.reads_reg() ? guard : Operand::always(), value);
  }
  if (kept.empty()) return Operand::undef(type);
  if (kept.size() == 2 && !kept[0].reads_reg()) return kept[1];
  emitter.guard({});
  Inst inst;
  inst.type = type;
  if (is_ssa(emitter.function().form)) {
    inst.op = Opcode::Psi;
    return emitter.append(inst, kept, type);
  }
  inst.op = Opcode::Mov;
  inst.results[0] = emitter.function().add_reg(type);
  for (auto [guard, value] : psi_arguments(kept)) {
    emitter.guard(Guard(guard.reads_reg() ? guard : Operand()));
    emitter.append(inst, std::array{value});
  }
  emitter.guard({});
  return inst.results[0];
}

bool DescribedExpansions::insert(const Expansion& expansion, const Module& module,
                                 std::span<const Operand> operands, Guard guard, Emitter& emitter,
                                 Operand& result) const {
  const Module& code = *description_.code;
  const Function& body = code.function(expansion.function);
  std::vector<Operand> values(body.num_regs());
  for (const Expansion::Part& part : expansion.params) {
    if (part.reg) values[part.reg.index()] = operands[part.index];
  }
  for (InstId id : body.insts(body.entry())) {
    // Types are legal before expansions are looked at, and stay so.
    for (Reg made : body.inst(id).results) {
      if (made && description_.class_for(body.type(made)) == kNone) return false;
    }
    if (body.inst(id).is_machine()) return false;
    for (Operand operand : body.operands(id)) {
      if (!operand.is_symbol()) continue;
      std::optional<SymbolId> symbol = module.find_symbol(code.name(operand.symbol()));
      if (!symbol || module.kind(*symbol) != SymbolKind::Function) return false;
      if (module.function(*symbol).signature != code.function(operand.symbol()).signature) return false;
    }
  }
  // These may be defined though an operand is not; what stands for them need not be.
  const Inst& pattern = expansion.pattern;
  bool skips_operands = pattern.op == Opcode::Select || pattern.op == Opcode::Cmpp ||
                        (pattern.type == Type::i1 && (pattern.op == Opcode::And || pattern.op == Opcode::Or));
  if (skips_operands) {
    emitter.guard({});
    for (const Expansion::Part& part : expansion.params) {
      if (!part.reg) continue;
      Operand& value = values[part.reg.index()];
      if (value.is_reg() || value.is_undef()) value = emitter.freeze(value);
    }
  }
  Function& function = emitter.function();
  std::vector<Operand> given;
  for (InstId id : body.insts(body.entry())) {
    Inst inst = body.inst(id);
    if (inst.op == Opcode::Ret) break;
    given.clear();
    for (Operand operand : body.operands(id)) {
      if (operand.is_reg()) {
        operand = values[operand.reg().index()];
      } else if (operand.is_negated()) {
        operand = complement(values[operand.reg().index()]);
      } else if (operand.is_symbol()) {
        operand = Operand(*module.find_symbol(code.name(operand.symbol())));
      } else if (operand.is_literal()) {
        operand = function.literal(operand.literal_type(), body.literal_bits(operand));
      }
      given.push_back(operand);
    }
    // An argument must not be undef, and what traps or has an effect stays under the guard.
    if (inst.op == Opcode::Call) {
      emitter.guard({});
      for (size_t i = 1; i < given.size(); ++i) given[i] = emitter.freeze(given[i]);
    }
    // A guard may turn out to be a literal.
    if (inst.guard && values[inst.guard.reg().index()].is_literal()) {
      bool holds = emitter.is_literal(values[inst.guard.reg().index()], 1) != inst.guard.is_negated();
      if (!holds) {
        if (inst.results[0]) values[inst.results[0].index()] = Operand::undef(body.type(inst.results[0]));
        continue;
      }
      inst.guard = {};
    }
    if (inst.is_psi()) {
      values[inst.results[0].index()] = merge(emitter, inst.type, given);
      continue;
    }
    if (inst.guard) {
      emitter.guard(Guard(body.inst(id).guard.is_negated() ? complement(values[inst.guard.reg().index()])
                                                           : values[inst.guard.reg().index()]));
    } else {
      emitter.guard(inst.is_pure() ? Guard() : guard);
    }
    if (!inst.results[0]) {
      emitter.append(inst, given);
      continue;
    }
    if (inst.is_pure() && !inst.guard && inst.num_results() == 1) {
      values[inst.results[0].index()] = emitter.make(inst, given, body.type(inst.results[0]));
      continue;
    }
    for (Reg& made : inst.results) {
      if (!made) continue;
      Reg fresh = function.add_reg(body.type(made));
      values[made.index()] = fresh;
      made = fresh;
    }
    emitter.append(inst, given);
  }
  emitter.guard({});
  result = values[expansion.values[0].reg.index()];
  return true;
}

}  // namespace psi::select
