// Enlarges the guards of safe definitions.
//
//     p ? x = add a, 1       x = add a, 1
//     q ? y = mov x          r ? y = mov x       q within r
#include "psi/analysis/uses.h"
#include "psi/ir/views.h"
#include "scramble/function_facts.h"

namespace psi::scramble {
namespace {

constexpr size_t kMaxGuardTries = 8;

class Speculation {
 public:
  explicit Speculation(ScrambleContext& context)
      : context_(context),
        function_(context.function),
        facts_(context),
        uses_(context.analyses.get<Uses>()) {}

  void run() {
    for (BlockId b : context_.blocks()) {
      for (InstId id : function_.insts(b)) {
        if (can_be_speculated(function_.inst(id)) && context_.dice.percent(50)) speculate(id);
      }
    }
  }

 private:
  bool can_be_speculated(const Inst& inst) const {
    if (!inst.guard || !inst.is_pure()) return false;
    for (Reg result : inst.results) {
      if (result && tells_by_its_guard(result)) return false;
    }
    return true;
  }

  // Where a predicate guards a psi's argument it is read only where it was computed, and the argument may
  // count on that. So may what is computed under it.
  bool tells_by_its_guard(Reg result) const {
    if (function_.type(result) != Type::i1) return false;
    for (Use use : uses_.uses(result)) {
      const Inst& inst = function_.inst(use.inst);
      if (use.is_guard() ? inst.result_type() == Type::i1 : is_psi_guard(inst, use.operand)) return true;
    }
    return false;
  }

  void speculate(InstId id) {
    Guard wider = context_.dice.percent(50) ? Guard() : wider_guard(id);
    if (wider == function_.inst(id).guard) return;
    function_.inst(id).guard = wider;
    context_.counters.add("definitions speculated", 1);
  }

  // A guard that contains its own, or its own.
  Guard wider_guard(InstId id) {
    Guard own = function_.inst(id).guard;
    Term guard = facts_.term(own);
    for (Reg r : facts_.some_registers(Type::i1, kMaxGuardTries, context_.dice)) {
      if (!facts_.is_available(Operand::reg(r), id)) continue;
      if (!context_.defined.at(r, facts_.place(id))) continue;
      for (bool negated : {false, true}) {
        Term wide = facts_.term(Guard(r, negated));
        if (wide != guard && facts_.contains(wide, guard)) return Guard(r, negated);
      }
    }
    return own;
  }

  ScrambleContext& context_;
  Function& function_;
  FunctionFacts facts_;
  const Uses& uses_;
};

}  // namespace

void speculate(ScrambleContext& context) { Speculation(context).run(); }

}  // namespace psi::scramble
