#include "destruct/phis.h"

namespace psi::destruction {

void mark_registers_of_phis(const Function& function, std::vector<uint8_t>& marked) {
  for (BlockId b : function.layout()) {
    for_each_phi(function, b, [&](InstId phi) {
      marked[function.inst(phi).results[0].index()] = 1;
      for_each_argument(function, phi, [&](Reg r) { marked[r.index()] = 1; });
    });
  }
}

void drop_dead_phis(Function& function) {
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
  std::vector<InstId> kept;
  for (BlockId b : function.layout()) {
    kept.clear();
    for (InstId id : function.insts(b)) {
      const Inst& inst = function.inst(id);
      if (!inst.is_phi() || is_read[inst.results[0].index()]) kept.push_back(id);
    }
    if (kept.size() < function.insts(b).size()) function.set_insts(b, kept);
  }
}

}  // namespace psi::destruction
