#include "transform/value_removal.h"

#include <utility>
#include <vector>

namespace psi::transform {
namespace {

class Removal {
 public:
  Removal(Function& function, const Substitution& substitution, std::span<const uint8_t> is_dead)
      : function_(function),
        substitution_(substitution),
        is_dead_(is_dead),
        is_callee_(function.num_regs()) {}

  void run() {
    find_callees();
    std::vector<InstId> kept;
    for (BlockId b : function_.layout()) {
      kept.clear();
      for (InstId id : function_.insts(b)) {
        bool is_dead = id.index() < is_dead_.size() && is_dead_[id.index()];
        if (!is_dead && !is_replaced(id)) kept.push_back(id);
      }
      if (kept.size() < function_.insts(b).size()) function_.set_insts(b, kept);
    }
  }

 private:
  void find_callees() {
    for (BlockId b : function_.layout()) {
      for (InstId id : function_.insts(b)) {
        if (function_.inst(id).op != Opcode::Call) continue;
        Operand callee = std::as_const(function_).operands(id)[0];
        if (callee.is_reg()) is_callee_[callee.reg().index()] = 1;
      }
    }
  }

  bool is_replaced(InstId id) const {
    const Inst& inst = function_.inst(id);
    if (!inst.results[0] || inst.has_flag(Inst::kVolatile)) return false;
    for (Reg result : inst.results) {
      if (result && (!substitution_.replaces(result) || is_callee_[result.index()])) return false;
    }
    return true;
  }

  Function& function_;
  const Substitution& substitution_;
  std::span<const uint8_t> is_dead_;
  std::vector<uint8_t> is_callee_;  // by Reg: called
};

}  // namespace

void remove_replaced(Function& function, const Substitution& substitution, std::span<const uint8_t> is_dead) {
  Removal(function, substitution, is_dead).run();
}

}  // namespace psi::transform
