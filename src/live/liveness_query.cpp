// Liveness of one register by walking back from its reads: Boissinot, Brandner, Darte, Dupont de Dinechin and
// Rastello, "Computing Liveness Sets for SSA-Form Programs" (2011), section 5, by variable. In SSA form its
// definition dominates every read, so going back along predecessors from each ends at the definition, and
// every block passed has the register live.
//
// The first query about a register costs its uses and the edges into the blocks where it is live, and a sort
// of these; every further query a binary search.

#include "psi/analysis/cfg.h"
#include "psi/analysis/dominators.h"
#include "psi/analysis/uses.h"
#include "psi/ir/views.h"
#include "psi/live/liveness.h"

namespace psi {

LivenessQuery::LivenessQuery(const Function& function, const Cfg& cfg, const Dominators& dominators,
                             const Uses& uses)
    : function_(function), uses_(uses), parts_(cfg, dominators), ranges_(function.num_regs()) {}

bool LivenessQuery::is_live_in(BlockId b, Reg r) {
  const Part* part = find(b, r);
  return part && part->in;
}

bool LivenessQuery::is_live_out(BlockId b, Reg r) {
  const Part* part = find(b, r);
  return part && part->out;
}

bool LivenessQuery::is_live_after(InstId id, Reg r) {
  BlockId b = uses_.block(id);
  const Part* part = find(b, r);
  if (!part) return false;
  InstId definition = uses_.definition(r);
  bool is_defined_later =
      definition && uses_.block(definition) == b && uses_.position(definition) > uses_.position(id);
  if (is_defined_later) return false;
  return part->out || part->end_of_reads > uses_.position(id) + 1;
}

const LivenessQuery::Part* LivenessQuery::find(BlockId b, Reg r) {
  if (!ranges_[r.index()].known) explore(r);
  return parts_.find(ranges_[r.index()], b);
}

void LivenessQuery::explore(Reg r) {
  InstId id = uses_.definition(r);
  BlockId definition = id ? uses_.block(id) : BlockId();
  for (Use use : uses_.uses(r)) {
    const Inst& inst = function_.inst(use.inst);
    if (inst.is_phi()) {
      parts_.read_at_end(incoming_block(function_, inst, use.operand), definition);
    } else {
      parts_.read(uses_.block(use.inst), uses_.position(use.inst) + 1, definition);
    }
  }
  ranges_[r.index()] = parts_.finish(definition);
}

}  // namespace psi
