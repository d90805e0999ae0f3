// The ascending and descending iterations that find the intervals of ranges_analysis.h.
//
//     %i = phi [@entry: 0], [@body: %j]      up: [0, 0], [0, 1], [0, 2], ... [0, greatest]
//     %c = cmp.lt.i32 %i, %n                 down, once %n is known to be in [0, 50]: [0, 50]
#include <algorithm>

#include "optimise/ranges/ranges_analysis.h"
#include "psi/analysis/cfg.h"
#include "psi/analysis/order.h"
#include "psi/analysis/uses.h"
#include "psi/ir/views.h"

namespace psi::optimise {

// Of the others, the interval is that of their type.
bool ValueRanges::is_computed(InstId id) const {
  const Inst& inst = function_.inst(id);
  switch (inst.format()) {
    case Format::Phi:
    case Format::Psi:
    case Format::Select:
    case Format::Move:
      return true;
    case Format::Compare:
      return is_int(inst.type);
    case Format::Binary:
    case Format::Unary:
      return is_int(inst.type) && inst.op != Opcode::Freeze;
    case Format::Convert:
      return is_int(inst.from());
    default:
      return false;
  }
}

// Phis aside, operands come before what reads them. What waits after that is in loops.
void ValueRanges::ascend() {
  is_waiting_.resize(function_.num_insts());
  is_loose_.resize(function_.num_insts());
  changes_.resize(function_.num_regs());
  std::vector<InstId> work;
  const Order& order = analyses_.get<Order>();
  for (BlockId b : order.reverse_post_order()) {
    for (InstId id : function_.insts(b)) {
      const Inst& inst = function_.inst(id);
      if (!inst.results[0] || !is_int(function_.type(inst.results[0]))) continue;
      if (!is_computed(id)) {
        for (Reg result : inst.results) {
          if (result) ranges_[result.index()] = Interval::full(function_.type(result));
        }
        continue;
      }
      computed_.push_back(id);
      grow(id);
    }
    // Inner loops first: settled intervals need not be widened with the outer loops.
    for (BlockId target : analyses_.get<Cfg>().successors(b)) {
      if (order.number(target) > order.number(b)) continue;
      for (InstId id : function_.insts(target)) {
        if (!function_.inst(id).is_phi()) break;
        add_to(work, id);
      }
    }
  }
  for (size_t next = 0; next < work.size(); ++next) {
    InstId id = work[next];
    is_waiting_[id.index()] = 0;
    if (grow(id)) {
      for (const Use& use : uses_.uses(function_.inst(id).results[0])) add_to(work, use.inst);
    }
    // The part of the list that is done.
    if (next > 65536 && next * 2 > work.size()) {
      work.erase(work.begin(), work.begin() + static_cast<ptrdiff_t>(next) + 1);
      next = SIZE_MAX;
    }
  }
}

void ValueRanges::add_to(std::vector<InstId>& work, InstId id) {
  Reg result = function_.inst(id).results[0];
  bool is_wanted = result && is_int(function_.type(result)) && is_computed(id);
  if (!is_wanted || is_waiting_[id.index()]) return;
  is_waiting_[id.index()] = 1;
  work.push_back(id);
}

// True if the interval changes.
bool ValueRanges::grow(InstId id) {
  const Inst& inst = function_.inst(id);
  Reg result = inst.results[0];
  Interval& range = ranges_[result.index()];
  Interval value = evaluate(id);
  Interval now = join(range, value);
  is_loose_[id.index()] = now != value;
  if (now == range) return false;
  if (inst.is_phi() && ++changes_[result.index()] > kMaxExactChanges) {
    Type type = function_.type(result);
    now = changes_[result.index()] > 2 * kMaxExactChanges ? Interval::full(type) : widen(range, now, type);
  }
  range = now;
  return true;
}

// Evaluates only instructions whose interval may shrink: loose ones, those that depend on conditions between
// registers, and readers of shrunken intervals.
void ValueRanges::descend() {
  std::vector<uint8_t> has_limits(function_.num_regs());
  for (const Fact& fact : facts_) {
    if (!fact.compare) continue;
    Compared compared = as_compared(function_, fact.compare);
    if ((fact.is_left ? compared.right : compared.left).is_reg()) has_limits[fact.reg.index()] = 1;
  }
  auto depends = [&](InstId id) {
    const Inst& inst = function_.inst(id);
    if (is_loose_[id.index()] || inst.guard || inst.is_phi() || inst.is_psi() || inst.op == Opcode::Select)
      return true;
    return std::ranges::any_of(function_.operands(id), [&](Operand operand) {
      return operand.is_reg() && has_limits[operand.reg().index()];
    });
  };
  std::erase_if(computed_,
                [&](InstId id) { return ranges_[function_.inst(id).results[0].index()].is_single(); });
  for (int iteration = 0; iteration < 2; ++iteration) {
    for (InstId id : computed_) {
      if (!is_waiting_[id.index()] && !depends(id)) continue;
      is_waiting_[id.index()] = 0;
      Reg result = function_.inst(id).results[0];
      Interval& range = ranges_[result.index()];
      Interval now = meet(range, evaluate(id), function_.type(result));
      if (now == range) continue;
      range = now;
      for (const Use& use : uses_.uses(result)) is_waiting_[use.inst.index()] = 1;
    }
  }
}

}  // namespace psi::optimise
