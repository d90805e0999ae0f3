// Simplification of predicates, compares and guards.
//
//     %p = cmp.lt.i32 %a, %b               %p = cmp.lt.i32 %a, %b
//     %q = cmp.ge.i32 %a, %b               %p ? %x = add.i32 %a, 1
//     %p ? %x = add.i32 %a, 1        ==>   !%p ? %y = add.i32 %b, 1
//     %q ? %y = add.i32 %b, 1              br %p, @then, @else
//     br %q, @else, @then                @then:
//   @then:                                 store.i32 %a, %t
//     %p ? store.i32 %a, %t
//
// One walk over the dominator tree finds three things, which are then rewritten together:
// - predicates that equal another one or its complement (simplify_predicates_values). Guards, inputs of cmpp,
//   branches and selects read a complement as it is; for other readers it is computed by `not`;
// - predicates that are the same whenever they are defined, by the terms of the predicate query system:
//   always, or where their own guard is true;
// - reads whose outcome is known because of the branches that lead to them (simplify_predicates_facts).
// Remaining cmpps are simplified: unread targets are dropped, and a cmpp that only compares becomes a cmp.
//
// Requires: SSA form. Ensures: the same; no more instructions than before. Near-linear, except for predicate
// queries, one for each guarded definition of a predicate and for each `and` and `or`.
#include "psi/optimise/simplify_predicates.h"

#include "optimise/dead_definitions.h"
#include "optimise/predicates/simplify_predicates_cmpp.h"
#include "optimise/predicates/simplify_predicates_facts.h"
#include "optimise/predicates/simplify_predicates_rewrite.h"
#include "optimise/predicates/simplify_predicates_values.h"
#include "psi/analysis/dominators.h"
#include "psi/analysis/order.h"
#include "psi/analysis/uses.h"
#include "psi/cfg/unreachable.h"
#include "psi/ir/views.h"

namespace psi {
namespace {

class PredicateSimplification {
 public:
  PredicateSimplification(Function& function, Analyses& analyses, Counters& counters, Remarks* remarks)
      : function_(function),
        guards_(analyses.get<GuardFacts>()),
        facts_(function, analyses, guards_),
        values_(function, analyses, guards_),
        rewriting_(function, analyses, counters, remarks) {
    for (BlockId b : analyses.get<Dominators>().preorder()) visit(b);
  }

  void rewrite() { rewriting_.run(values_, implied_); }

 private:
  void visit(BlockId b) {
    facts_.enter(b);
    uint32_t calls = 0;
    for (InstId id : function_.insts(b)) {
      const Inst& inst = function_.inst(id);
      find_known_reads(id, inst);
      if (inst.results[0] && function_.type(inst.results[0]) == Type::i1) {
        values_.visit(b, id, calls);
        find_known_results(id);
      }
      if (inst.op == Opcode::Call) ++calls;
    }
  }

  void find_known_results(InstId id) {
    const Inst& inst = function_.inst(id);
    for (Reg result : inst.results) {
      if (!result || function_.type(result) != Type::i1 || values_.is_replaced(result)) continue;
      bool is_literal = inst.is_copy() || inst.op == Opcode::Freeze || inst.op == Opcode::Call;
      if (is_literal || inst.op == Opcode::Load || inst.op == Opcode::VaArg) continue;
      Term term = guards_.term(Operand::reg(result));
      std::optional<bool> known = facts_.known(term);
      if (!known && inst.guard) {
        Term guard = guards_.term(inst.guard);
        if (guards_.contains(term, guard)) known = true;
        if (!known && guards_.excludes(term, guard)) known = false;
      }
      if (!known) continue;
      values_.set(result, Operand::truth(*known));
      ++implied_;
    }
  }

  // The operands that are read as predicates, and only as such.
  void find_known_reads(InstId id, const Inst& inst) {
    if (inst.guard) find_known_read(id, Use::kGuard, inst.guard.as_operand());
    if (inst.is_psi()) {
      PsiArguments arguments = psi_arguments(function_, inst);
      for (size_t i = 0; i < arguments.size(); ++i) {
        find_known_read(id, first_operand(i), arguments[i].guard);
      }
    } else if (inst.op == Opcode::Cmpp) {
      find_known_read(id, kCmppInput, as_cmpp(function_, inst).input);
    } else if (inst.op == Opcode::Select) {
      find_known_read(id, kCondition, as_select(function_, inst).condition);
    } else if (inst.is_branch()) {
      find_known_read(id, kCondition, as_branch(function_, inst).condition);
    }
  }

  void find_known_read(InstId id, uint32_t operand, Operand predicate) {
    if (!predicate.reads_reg() || !values_.value(predicate).reads_reg()) return;
    std::optional<bool> known = facts_.known(guards_.term(predicate));
    if (known) rewriting_.note_known({id, operand}, *known);
  }

  Function& function_;
  GuardFacts& guards_;
  optimise::PathFacts facts_;
  optimise::PredicateValues values_;
  optimise::PredicateRewriting rewriting_;
  uint64_t implied_ = 0;
};

}  // namespace

void simplify_predicates(Function& function, Analyses& analyses, Counters& counters, Remarks* remarks) {
  if (analyses.get<Order>().num_reachable() < function.layout().size()) {
    dce_unreachable(function, analyses, counters);
    analyses.drop(Keeps::Nothing);
  }
  bool has_guards = analyses.get<GuardFacts>().any();
  PredicateSimplification(function, analyses, counters, remarks).rewrite();
  if (has_guards) optimise::simplify_cmpp(function, analyses, counters);
}

void simplify_predicates(PassContext& context) {
  simplify_predicates(context.function, context.analyses, context.counters, context.remarks);
}

}  // namespace psi
