// cmpps that are plain compares.
//
//     %p, %q = cmpp.un.uc.lt.i32 %a, %b                 %p = cmp.lt.i32 %a, %b    (nothing reads q)
//     %r = cmpp.on.lt.i32 %a, %b if %p old false   ==>  %r = cmpp.un.lt.i32 %a, %b if %p
#include "optimise/predicates/simplify_predicates_cmpp.h"

#include <array>
#include <utility>
#include <vector>

#include "psi/analysis/uses.h"
#include "psi/ir/views.h"

namespace psi::optimise {
namespace {

class CmppSimplification {
 public:
  CmppSimplification(Function& function, Analyses& analyses)
      : function_(function), uses_(analyses.get<Uses>()) {}

  uint64_t dropped = 0;
  uint64_t compares = 0;

  void run() {
    for (BlockId b : function_.layout()) {
      for (InstId id : function_.insts(b)) {
        if (function_.inst(id).op != Opcode::Cmpp) continue;
        drop_targets(id);
        make_unconditional(id);
        make_cmp(id);
      }
    }
  }

 private:
  // One is kept, to be removed as dead code.
  void drop_targets(InstId id) {
    Inst& inst = function_.inst(id);
    if (!inst.results[1]) return;
    bool first = uses_.is_used(inst.results[0]), second = uses_.is_used(inst.results[1]);
    if (first && second) return;
    operands_.assign(function_.operands(id).begin(), function_.operands(id).end());
    int gone = first ? 1 : 0;
    if (is_partial(inst.action(gone))) {
      bool is_last = gone == 1 || !is_partial(inst.action(1));
      operands_.erase(is_last ? operands_.end() - 1 : operands_.begin() + 3);
    }
    inst.set_actions(inst.action(1 - gone), Action::none);
    inst.results = {inst.results[static_cast<size_t>(1 - gone)], Reg()};
    function_.set_operands(id, operands_);
    ++dropped;
  }

  // old or (r and c) is r and c if old is false; without input the others are c, too.
  void make_unconditional(InstId id) {
    Inst& inst = function_.inst(id);
    std::span<const Operand> operands = std::as_const(function_).operands(id);
    Action action = inst.action(0);
    if (inst.results[1] || !is_partial(action)) return;
    bool is_or = action_class(action) == ActionClass::ParallelOr;
    bool is_and = action_class(action) == ActionClass::ParallelAnd;
    CmppView cmpp = as_cmpp(operands);
    bool has_input = cmpp.input != Operand::always();
    bool starts_at = old_value(inst, operands, 0) == Operand::truth(is_and);
    if (is_or ? !starts_at : has_input || (is_and && !starts_at)) return;
    inst.set_actions(make_action(ActionClass::Unconditional, is_complement(action)), Action::none);
    function_.set_operands(id, std::array{cmpp.left, cmpp.right, cmpp.input});
    ++compares;
  }

  void make_cmp(InstId id) {
    Inst& inst = function_.inst(id);
    CmppView cmpp = as_cmpp(function_, id);
    if (inst.results[1] || is_partial(inst.action(0)) || cmpp.input != Operand::always()) return;
    if (is_complement(inst.action(0))) inst.set_cond(negate(inst.cond()));
    inst.op = Opcode::Cmp;
    inst.extra = 0;
    function_.set_operands(id, std::array{cmpp.left, cmpp.right});
    ++compares;
  }

  Function& function_;
  const Uses& uses_;
  std::vector<Operand> operands_;
};

}  // namespace

void simplify_cmpp(Function& function, Analyses& analyses, Counters& counters) {
  CmppSimplification simplification(function, analyses);
  simplification.run();
  if (simplification.dropped) counters.add("cmpp targets dropped", simplification.dropped);
  if (simplification.compares) counters.add("cmpp made compares", simplification.compares);
  analyses.drop(Keeps::ControlFlow);
}

}  // namespace psi::optimise
