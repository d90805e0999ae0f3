// As LivenessQuery (psi/live/liveness.h), at points between instructions.

#include "live/psi_liveness.h"

#include <optional>

#include "psi/analysis/cfg.h"
#include "psi/analysis/dominators.h"
#include "psi/analysis/uses.h"
#include "psi/ir/views.h"

namespace psi::live {

PsiLiveness::PsiLiveness(const Function& function, Analyses& analyses, const PsiChains& chains)
    : function_(function),
      dominators_(analyses.get<Dominators>()),
      uses_(analyses.get<Uses>()),
      chains_(chains),
      num_old_regs_(function.num_regs()),
      parts_(analyses.get<Cfg>(), dominators_) {}

bool PsiLiveness::is_live_below(Point point, Reg r, Content content) {
  const Part* part = find(point.block, r, content);
  if (!part) return false;
  Point definition = chains_.definition(r);
  if (definition.block == point.block && definition.key() > point.key()) return false;
  return part->out || part->end_of_reads > point.key();
}

bool PsiLiveness::may_be_live_below(Point point, Reg r) {
  BlockId b = chains_.definition(r).block;
  for (Content content : {Content::Own, Content::Carried}) {
    const Part* part = find(b, r, content);
    if (part && (part->out || (point.block == b && part->end_of_reads > point.key()))) return true;
  }
  return false;
}

void PsiLiveness::forget(Reg r) {
  for (std::vector<LiveParts<Part>::Range>& ranges : ranges_) {
    if (r.index() < ranges.size()) ranges[r.index()].known = false;
  }
}

const PsiLiveness::Part* PsiLiveness::find(BlockId b, Reg r, Content content) {
  std::vector<LiveParts<Part>::Range>& ranges = ranges_[static_cast<size_t>(content)];
  if (r.index() >= ranges.size()) ranges.resize(function_.num_regs());
  if (!ranges[r.index()].known) explore(r, content);
  return parts_.find(ranges[r.index()], b);
}

// Calls visit(Point); a phi reads at the end of a block, which has the largest key.
template <class Visit>
void PsiLiveness::for_each_read(Reg r, Content content, Visit visit) const {
  chains_.for_each_link(r, [&](uint32_t l) {
    const Link& link = chains_.link(l);
    if (link.reg() == r) {
      if (content == Content::Carried) visit(link.end);
    } else if (content == Content::Own) {
      visit(link.read_point);
    }
  });
  if (content == Content::Carried) return;
  if (r.index() >= num_old_regs_) {
    if (std::optional<Point> read = chains_.forwarded(r)) visit(*read);
    return;
  }
  for (Use use : uses_.uses(r)) {
    const Inst& inst = function_.inst(use.inst);
    BlockId b = uses_.block(use.inst);
    if (!dominators_.is_reachable(b)) continue;
    if (inst.is_phi()) {
      visit(Point{incoming_block(function_, inst, use.operand), UINT32_MAX, UINT32_MAX});
    } else if (inst.op == Opcode::Cmpp && !use.is_guard() && use.operand >= kCmppOld) {
      // An old value is read where the target gets it.
      visit(Point{b, 2 * uses_.position(use.inst), UINT32_MAX});
    } else if (!inst.is_psi() || is_psi_guard(inst, use.operand)) {
      visit(Point{b, 2 * uses_.position(use.inst) + 1});
    }
  }
}

void PsiLiveness::explore(Reg r, Content content) {
  BlockId definition = chains_.definition(r).block;
  for_each_read(r, content, [&](Point read) {
    if (read.index == UINT32_MAX) {
      parts_.read_at_end(read.block, definition);
    } else {
      parts_.read(read.block, read.key(), definition);
    }
  });
  ranges_[static_cast<size_t>(content)][r.index()] = parts_.finish(definition);
}

}  // namespace psi::live
