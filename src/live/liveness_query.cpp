// Liveness of one register by walking back from its reads: Boissinot, Brandner, Darte, Dupont de Dinechin and
// Rastello, "Computing Liveness Sets for SSA-Form Programs" (2011), section 5, by variable. In SSA form its
// definition dominates every read, so going back along predecessors from each ends at the definition, and
// every block passed has the register live.
//
// The first query about a register costs its uses and the edges into the blocks where it is live, and a sort
// of these; every further query a binary search.

#include <algorithm>

#include "psi/analysis/cfg.h"
#include "psi/analysis/dominators.h"
#include "psi/analysis/uses.h"
#include "psi/ir/views.h"
#include "psi/live/liveness.h"

namespace psi {

LivenessQuery::LivenessQuery(const Function& function, const Cfg& cfg, const Dominators& dominators,
                             const Uses& uses)
    : function_(function),
      cfg_(cfg),
      dominators_(dominators),
      uses_(uses),
      ranges_(function.num_regs()),
      part_of_(cfg.num_blocks()) {}

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
  const Range& range = ranges_[r.index()];
  const Part* first = parts_.data() + range.first;
  const Part* last = first + range.count;
  const Part* part = std::lower_bound(first, last, b, [](const Part& a, BlockId c) { return a.block < c; });
  return part != last && part->block == b ? part : nullptr;
}

void LivenessQuery::explore(Reg r) {
  // None for a parameter: it comes from before the entry.
  InstId definition = uses_.definition(r);
  BlockId definition_block = definition ? uses_.block(definition) : BlockId();
  for (Use use : uses_.uses(r)) {
    const Inst& inst = function_.inst(use.inst);
    if (inst.is_phi()) {
      mark_out(incoming_block(function_, inst, use.operand), definition_block);
      continue;
    }
    BlockId b = uses_.block(use.inst);
    if (!dominators_.is_reachable(b)) continue;
    uint32_t end = uses_.position(use.inst) + 1;
    Part& at = part(b);
    if (at.end_of_reads < end) at.end_of_reads = end;
    if (b != definition_block) mark_in(b);
  }
  while (!work_.empty()) {
    BlockId b = work_.back();
    work_.pop_back();
    for (BlockId p : cfg_.predecessors(b)) mark_out(p, definition_block);
  }

  for (const Part& found : found_) part_of_[found.block.index()] = 0;
  std::sort(found_.begin(), found_.end(), [](const Part& a, const Part& b) { return a.block < b.block; });
  ranges_[r.index()] = {parts_.size(), static_cast<uint32_t>(found_.size()), true};
  parts_.insert(parts_.end(), found_.begin(), found_.end());
  found_.clear();
}

LivenessQuery::Part& LivenessQuery::part(BlockId b) {
  uint32_t& at = part_of_[b.index()];
  if (at == 0) {
    found_.push_back({.block = b});
    at = static_cast<uint32_t>(found_.size());
  }
  return found_[at - 1];
}

void LivenessQuery::mark_in(BlockId b) {
  Part& at = part(b);
  if (at.in) return;
  at.in = 1;
  work_.push_back(b);
}

void LivenessQuery::mark_out(BlockId b, BlockId definition_block) {
  if (!dominators_.is_reachable(b)) return;
  Part& at = part(b);
  if (at.out) return;
  at.out = 1;
  if (b != definition_block) mark_in(b);
}

}  // namespace psi
