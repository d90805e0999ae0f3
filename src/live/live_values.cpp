// Which registers hold the same value.
#include "live/live_ranges.h"
#include "psi/ir/views.h"

namespace psi::live {

void LiveRanges::find_value(const Inst& mov) {
  Operand source = function_.operands(mov)[0];
  if (source.is_reg()) {
    // Where a copy is not written, a copy of it copies another value.
    bool is_whole = values_[source.reg().index()] == source.reg().index() ||
                    conditions_.implies(mov.guard, definitions_[source.reg().index()].guard);
    if (is_whole) values_[mov.results[0].index()] = values_[source.reg().index()];
  } else if (!source.is_undef()) {
    values_[mov.results[0].index()] = value_of(source);
  }
}

// A phi of copies of one value is that value, and so are copies of the phi.
void LiveRanges::find_values_of_phis() {
  auto merged = [&](const Inst& phi) {
    uint64_t own = values_[phi.results[0].index()], value = own;
    for (PhiEntry entry : phi_entries(function_, phi)) {
      if (!entry.value.is_reg() || definitions_[entry.value.reg().index()].guard) return own;
      uint64_t next = values_[entry.value.reg().index()];
      if (next == own) continue;
      if (value != own && value != next) return own;
      value = next;
    }
    return value;
  };
  bool changed = false;
  for (BlockId b : dominators_.preorder()) {
    for (InstId id : function_.insts(b)) {
      const Inst& inst = function_.inst(id);
      if (inst.is_phi()) {
        uint64_t value = merged(inst);
        changed = changed || value != values_[inst.results[0].index()];
        values_[inst.results[0].index()] = value;
      } else if (changed && inst.op == Opcode::Mov) {
        find_value(inst);
      } else if (!changed) {
        break;
      }
    }
  }
}

}  // namespace psi::live
