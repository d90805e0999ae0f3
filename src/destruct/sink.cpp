#include "destruct/sink.h"

#include <algorithm>
#include <utility>

#include "psi/analysis/dominators.h"
#include "psi/analysis/frequencies.h"
#include "psi/analysis/uses.h"
#include "psi/ir/views.h"

namespace psi::destruct {

using namespace live;

bool Sinking::may_move(InstId id) const {
  const Inst& inst = function_.inst(id);
  return inst.is_pure() && inst.guard.is_always() && inst.num_results() == 1 && !inst.is_phi() &&
         !inst.is_psi() && !inst.is_copy() && inst.op != Opcode::Cmpp &&
         inst.op != Opcode::Freeze;  // which may not be executed more often than it was
}

// Parallel copies are not split.
uint32_t Sinking::top_of_group(BlockId b, uint32_t position) const {
  std::span<const InstId> insts = function_.insts(b);
  Together together = copies_.together(insts[position]);
  if (together == Together::No) return position;
  while (position > 0 && copies_.together(insts[position - 1]) == together) --position;
  return position;
}

// The last point that comes before both.
Sinking::Point Sinking::meet(Point a, Point b) const {
  if (a.block == b.block) return std::min(a, b);
  const Dominators& dominators = analyses_.get<Dominators>();
  BlockId x = a.block, y = b.block;
  while (x != y) {
    if (dominators.level(x) >= dominators.level(y)) {
      x = dominators.idom(x);
    } else {
      y = dominators.idom(y);
    }
  }
  if (x == a.block) return a;
  if (x == b.block) return b;
  return {x, UINT32_MAX};
}

// Above the first reader of the result, or as near to it as possible without a higher frequency.
Sinking::Point Sinking::last_point(InstId id) const {
  const Uses& uses = analyses_.get<Uses>();
  const Dominators& dominators = analyses_.get<Dominators>();
  const Frequencies& frequencies = analyses_.get<Frequencies>();
  Point here{uses.block(id), uses.position(id)};
  Point last;
  for (Use use : uses.uses(function_.inst(id).results[0])) {
    const Inst& reader = function_.inst(use.inst);
    // A psi reads some of its arguments above itself.
    if (reader.is_psi()) return here;
    Point point{uses.block(use.inst), 0};
    if (reader.is_phi()) {
      point = {incoming_block(function_, reader, use.operand), UINT32_MAX};
    } else {
      point.position = top_of_group(point.block, uses.position(use.inst));
    }
    last = last.block ? meet(last, point) : point;
  }
  if (!last.block) return here;
  double limit = frequencies.of(here.block) * (1 + 1e-9);
  while (last.block != here.block && frequencies.of(last.block) > limit) {
    last = {dominators.idom(last.block), UINT32_MAX};
  }
  // Not among the terminators, and not among copies that happen together.
  auto body =
      static_cast<uint32_t>(function_.insts(last.block).size() - function_.terminators(last.block).size());
  if (last.position >= body) {
    last.position = body;
    if (body > 0 && copies_.together(function_.insts(last.block)[body - 1]) == Together::AtEnd) {
      last.position = top_of_group(last.block, body - 1);
    }
  }
  return last;
}

bool Sinking::is_below(InstId id, Point point) const {
  const Uses& uses = analyses_.get<Uses>();
  return point.block != uses.block(id) || point.position > uses.position(id) + 1;
}

bool Sinking::can_sink(Reg r) const {
  InstId id = analyses_.get<Uses>().definition(r);
  return id && may_move(id) && is_below(id, last_point(id));
}

uint32_t Sinking::sink(std::span<const Reg> regs) {
  std::vector<Move> moves;
  for (Reg r : regs) {
    InstId id = analyses_.get<Uses>().definition(r);
    if (!id || !may_move(id)) continue;
    Point to = last_point(id);
    if (is_below(id, to)) moves.push_back({to, id});
  }
  apply(moves);
  return static_cast<uint32_t>(moves.size());
}

// Readers of a moved result are below its new place, moved or not, so the moves are independent.
void Sinking::apply(std::vector<Move>& moves) {
  if (moves.empty()) return;
  const Uses& uses = analyses_.get<Uses>();
  std::sort(moves.begin(), moves.end(),
            [](const Move& a, const Move& b) { return std::pair(a.to, a.inst) < std::pair(b.to, b.inst); });
  std::vector<BlockId> changed;
  std::vector<uint8_t> is_moved(function_.num_insts());
  for (const Move& move : moves) {
    changed.push_back(move.to.block);
    changed.push_back(uses.block(move.inst));
    is_moved[move.inst.index()] = 1;
  }
  std::sort(changed.begin(), changed.end());
  changed.erase(std::unique(changed.begin(), changed.end()), changed.end());
  std::vector<InstId> list;
  size_t next = 0;
  for (BlockId b : changed) {
    std::vector<InstId> old(function_.insts(b).begin(), function_.insts(b).end());
    list.clear();
    for (uint32_t i = 0; i < old.size(); ++i) {
      for (; next < moves.size() && moves[next].to == Point{b, i}; ++next) list.push_back(moves[next].inst);
      if (!is_moved[old[i].index()]) list.push_back(old[i]);
    }
    function_.set_insts(b, list);
    old_.emplace_back(b, std::move(old));
  }
}

void Sinking::undo() {
  for (auto at = old_.rbegin(); at != old_.rend(); ++at) function_.set_insts(at->first, at->second);
  old_.clear();
}

}  // namespace psi::destruct
