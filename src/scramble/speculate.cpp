// Enlarges the guards of safe definitions.
//
//     p ? x = add a, 1       x = add a, 1
//     q ? y = mov x          r ? y = mov x       q within r
#include "psi/analysis/uses.h"
#include "psi/ir/views.h"
#include "scramble/knowledge.h"

namespace psi::scramble {
namespace {

constexpr size_t kMaxGuardTries = 8;

class Speculation {
 public:
  explicit Speculation(Scene& scene)
      : scene_(scene), function_(scene.function), knowledge_(scene), uses_(scene.analyses.get<Uses>()) {}

  void run() {
    for (BlockId b : scene_.blocks()) {
      for (InstId id : function_.insts(b)) {
        if (can_be_speculated(function_.inst(id)) && scene_.dice.percent(50)) speculate(id);
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
    Guard wider = scene_.dice.percent(50) ? Guard() : wider_guard(id);
    if (wider == function_.inst(id).guard) return;
    function_.inst(id).guard = wider;
    scene_.counters.add("definitions speculated", 1);
  }

  // A guard that contains its own, or its own.
  Guard wider_guard(InstId id) {
    Guard own = function_.inst(id).guard;
    Term guard = knowledge_.term(own);
    for (Reg r : knowledge_.some_registers(Type::i1, kMaxGuardTries, scene_.dice)) {
      if (!knowledge_.is_available(Operand::reg(r), id)) continue;
      if (!scene_.defined.at(r, knowledge_.place(id))) continue;
      for (bool negated : {false, true}) {
        Term wide = knowledge_.term(Guard(r, negated));
        if (wide != guard && knowledge_.contains(wide, guard)) return Guard(r, negated);
      }
    }
    return own;
  }

  Scene& scene_;
  Function& function_;
  Knowledge knowledge_;
  const Uses& uses_;
};

}  // namespace

void speculate(Scene& scene) { Speculation(scene).run(); }

}  // namespace psi::scramble
