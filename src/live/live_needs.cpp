// Where values are needed, from the last instruction to the first: a result before what it is computed from.
#include "live/live_ranges.h"
#include "psi/analysis/loops.h"
#include "psi/ir/views.h"

namespace psi::live {

// Does it read its operands only for a result that has no other effect? Not copies: see live_ranges.h.
bool LiveRanges::passes_on(const Inst& inst) {
  return inst.is_psi() || (info(inst.op).effect == Effect::Pure && inst.op != Opcode::Mov &&
                           inst.op != Opcode::Cmpp && !inst.is_phi());
}

// An operand that is read only where this holds: what a cmpp compares, an arm of a select.
Guard LiveRanges::choice(const Inst& inst, std::span<const Operand> operands, size_t i) const {
  if (inst.op == Opcode::Cmpp) return i < 2 && is_sure_input(operands[2]) ? Guard(operands[2]) : Guard();
  if (i == 0 || !operands[0].reads_reg()) return Guard();
  return i == 1 ? Guard(operands[0]) : complement(Guard(operands[0]));
}

// Where its input is undefined, the result of a cmpp may still depend on what is compared.
bool LiveRanges::is_sure_input(Operand input) const {
  if (!input.reads_reg() || definitions_[input.reg().index()].guard) return false;
  return conditions_.term(Guard(input)) != Term::never();
}

// Do facts about the executions where `from` is defined also hold, unchanged, where `to` is?
bool LiveRanges::is_inherited(const Definition& from, const Definition& to) const {
  if (from.block == to.block) return true;
  const Loops& loops = analyses_.get<Loops>();
  LoopId loop = loops.of(from.block);
  return loop == loops.of(to.block) && (!loop || loops.is_reducible(loop));
}

// Read where both guards hold and, if that is known where the reader's result is defined, in `where`.
void LiveRanges::need(Operand operand, Guard guard, Guard further, Term where, const Definition& reader) {
  if (!operand.reads_reg()) return;
  GuardUnion& all = needed_[operand.reg().index()];
  if (all.term() == Term::always()) return;
  const Definition& definition = definitions_[operand.reg().index()];
  Known known = Known::AtDefinition;
  Term here = conditions_.term(lasting(guard, definition, known));
  if (further) here = conditions_.both(here, conditions_.term(lasting(further, definition, known)));
  if (where != Term::always() && is_inherited(reader, definition)) here = conditions_.both(here, where);
  all.add(GuardUnion(here), conditions_.terms());
}

void LiveRanges::find_needs() {
  if (!first_of_psi_.empty()) left_of_psi_.resize(function_.num_regs());
  if (conditions_.aware()) needed_.resize(function_.num_regs());
  if (needed_.empty() && first_of_psi_.empty()) return;
  std::span<const BlockId> blocks = dominators_.preorder();
  for (BlockId b : blocks) {
    for (InstId id : function_.insts(b)) {
      if (needed_.empty() || !function_.inst(id).is_phi()) break;
      for (Operand operand : function_.operands(id)) need(operand, Guard(), Guard(), Term::always(), {});
    }
  }
  for (size_t k = blocks.size(); k-- > 0;) {
    std::span<const InstId> insts = function_.insts(blocks[k]);
    for (size_t n = insts.size(); n-- > 0;) {
      const Inst& inst = function_.inst(insts[n]);
      if (inst.is_psi()) {
        find_needs_of_psi(inst);
      } else if (!inst.is_phi() && !needed_.empty()) {
        if (inst.guard) need(inst.guard.as_operand(), Guard(), Guard(), Term::always(), {});
        Term where = needed(inst);
        Definition reader = inst.results[0] ? definitions_[inst.results[0].index()] : Definition();
        for_each_read(inst, [&](Operand operand, Guard guard, Guard further) {
          need(operand, guard, further, where, reader);
        });
      }
    }
  }
}

// Arguments are needed where they are taken.
void LiveRanges::find_needs_of_psi(const Inst& psi) {
  if (!left_of_psi_.empty()) find_left_of_arguments(psi);
  if (needed_.empty()) return;
  const Definition& result = definitions_[psi.results[0].index()];
  PsiArguments arguments = psi_arguments(function_, psi);
  Term where = needed(psi);
  Guard not_next;
  for (size_t i = arguments.size(); i-- > 0;) {
    auto [guard, value] = arguments[i];
    need(guard, Guard(), Guard(), Term::always(), {});
    need(value, Guard(guard), not_next, where, result);
    not_next = complement(Guard(guard));
  }
}

// The registers of a psi that is itself an argument also carry the values to its left.
void LiveRanges::find_left_of_arguments(const Inst& psi) {
  const Definition& result = definitions_[psi.results[0].index()];
  Term where = needed(psi);
  Left left = left_of_psi_[psi.results[0].index()];
  for (auto [predicate, value] : psi_arguments(function_, psi)) {
    if (value.is_reg() && first_of_psi_[value.reg().index()] && left.all != Term::never()) {
      Left& known = left_of_psi_[value.reg().index()];
      bool is_known = is_inherited(result, definitions_[value.reg().index()]);
      known.all = conditions_.either(known.all, left.all);
      known.needed = conditions_.either(known.needed, is_known ? left.needed : left.all);
    }
    Term guard = conditions_.term(Guard(predicate));
    left.all = conditions_.either(left.all, guard);
    left.needed = conditions_.either(left.needed, conditions_.both(guard, where));
  }
}

}  // namespace psi::live
