#include "predication/predicated_ssa/function_state.h"

#include "psi/analysis/uses.h"
#include "psi/ir/views.h"
#include "psi/live/liveness.h"

namespace psi::predication {

FunctionState::FunctionState(Function& f, Analyses& a, const PredicatedSsaOptions& o)
    : function(f),
      analyses(a),
      options(o),
      regions(a.get<Cfg>(), a.get<Order>()),
      escapes(f.num_regs()),
      psi_reads(f.num_regs()),
      partial(f.num_regs()),
      replaced(f.num_regs()),
      arriving(f.num_blocks()) {
  analyses.get<LivenessQuery>();
  const Uses& uses = analyses.get<Uses>();
  auto read = [&](Operand operand, BlockId where, bool is_psi_value = false) {
    if (!operand.reads_reg()) return;
    InstId definition = uses.definition(operand.reg());
    if (!definition || regions.region(uses.block(definition)) == regions.region(where)) return;
    escapes[operand.reg().index()] = 1;
    if (is_psi_value) psi_reads[operand.reg().index()] = 1;
  };
  for (BlockId b : function.layout()) {
    for (InstId id : function.insts(b)) {
      const Inst& inst = function.inst(id);
      if (inst.guard) read(inst.guard.as_operand(), b);
      for (uint32_t k = 0; k < inst.num_results(); ++k) {
        partial[inst.results[k].index()] = inst.guard || inst.is_psi();
      }
      std::span<const Operand> operands = function.operands(inst);
      for (uint32_t i = 0; i < operands.size(); ++i) {
        auto [pair, is_value] = pair_operand(i);
        read(operands[i], inst.is_phi() && is_value ? incoming_block(function, inst, i) : b,
             inst.is_psi() && is_value && pair > 0);
      }
    }
  }
}

void FunctionState::replace(Reg r, Operand by) {
  replaced[r.index()] = by;
  if (!does_escape(r) || !by.reads_reg()) return;
  if (by.reg().index() >= escapes.size()) escapes.resize(function.num_regs());
  escapes[by.reg().index()] = 1;
}

}  // namespace psi::predication
