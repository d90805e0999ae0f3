// Clean-up after renaming.

#include <utility>

#include "psi/ir/edits.h"
#include "ssa/translate.h"

namespace psi::ssa {
namespace {

template <class Visit>
void for_each_read(const Function& function, InstId id, Visit visit) {
  const Inst& inst = function.inst(id);
  if (inst.guard) visit(inst.guard.reg());
  for (Operand operand : function.operands(inst)) {
    if (operand.reads_reg()) visit(operand.reg());
  }
}

// Removes the listed instructions of which `is_dead` says so.
template <class IsDead>
uint64_t remove_if(Function& function, IsDead is_dead) {
  uint64_t removed = 0;
  BlockEdits edits;
  for (BlockId b : function.layout()) {
    std::span<const InstId> insts = function.insts(b);
    for (uint32_t i = 0; i < insts.size(); ++i) {
      if (!is_dead(insts[i])) continue;
      edits.remove(i);
      ++removed;
    }
    if (!edits.empty()) edits.apply(function, b);
  }
  return removed;
}

}  // namespace

uint64_t drop_unread(Function& function, std::span<const InstId> psis) {
  std::vector<bool> is_read(function.num_regs()), is_candidate(function.num_insts());
  for (BlockId b : function.layout()) {
    for (InstId id : function.insts(b)) {
      for_each_read(function, id, [&](Reg r) { is_read[r.index()] = true; });
    }
  }
  for (InstId id : psis) is_candidate[id.index()] = !is_read[function.inst(id).results[0].index()];
  return remove_if(function, [&](InstId id) { return is_candidate[id.index()]; });
}

void define_undef(Function& function, Reg undef) {
  Inst inst;
  inst.op = Opcode::Mov;
  inst.type = function.type(undef);
  inst.results[0] = undef;
  BlockEdits edits;
  edits.insert_before(0, function.add_inst(inst, std::array{Operand::undef(inst.type)}));
  edits.apply(function, function.entry());
}

}  // namespace psi::ssa
