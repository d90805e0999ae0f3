#include "destruct/phis.h"

namespace psi::destruct {

void mark_registers_of_phis(const Function& function, std::vector<uint8_t>& marked) {
  for (BlockId b : function.layout()) {
    for_each_phi(function, b, [&](InstId phi) {
      marked[function.inst(phi).results[0].index()] = 1;
      for_each_argument(function, phi, [&](Reg r) { marked[r.index()] = 1; });
    });
  }
}

bool drop_dead_phis(Function& function) {
  std::vector<uint8_t> is_read(function.num_regs());
  for (BlockId b : function.layout()) {
    for (InstId id : function.insts(b)) {
      const Inst& inst = function.inst(id);
      if (inst.guard) is_read[inst.guard.reg().index()] = 1;
      for (Operand operand : std::as_const(function).operands(id)) {
        if (operand.reads_reg()) is_read[operand.reg().index()] = 1;
      }
    }
  }
  auto is_dead = [&](InstId id) {
    const Inst& inst = function.inst(id);
    return inst.is_phi() && !is_read[inst.results[0].index()];
  };
  bool any = false;
  std::vector<InstId> kept;
  for (BlockId b : function.layout()) {
    bool any_here = false;
    for_each_phi(function, b, [&](InstId phi) { any_here = any_here || is_dead(phi); });
    if (!any_here) continue;
    any = true;
    kept.assign(function.insts(b).begin(), function.insts(b).end());
    std::erase_if(kept, is_dead);
    function.set_insts(b, kept);
  }
  return any;
}

}  // namespace psi::destruct
