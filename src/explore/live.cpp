#include "explore/live.h"

#include <algorithm>
#include <bit>
#include <tuple>

namespace psi::explore {

LaneBits bits_of(const Lanes& lanes, PartSet set) {
  LaneBits bits;
  for (size_t i = 0; i < lanes.lanes().size(); ++i) {
    uint32_t parts = lanes.lanes()[i].parts;
    auto bit = static_cast<uint8_t>(1u << i);
    if ((parts & ~set.all) == 0) bits.all |= bit;
    if ((parts & set.some) != 0) bits.some |= bit;
  }
  return bits;
}

LiveLanes::LiveLanes(const Function& function, Analyses& analyses)
    : function_(function),
      aware_(function, analyses, FlowProblem::Liveness,
             is_ssa(function.form) ? FlowScope::Global : FlowScope::Local),
      blind_(function, analyses, FlowProblem::Liveness, FlowScope::Blind),
      open_(aware_.items().size()) {}

Predicates* LiveLanes::enter(BlockId b) {
  aware_.enter(b);
  return aware_.predicates();
}

LaneBits LiveLanes::where(const PredicateExpr& expr, Lanes& lanes, PartSet reached) {
  PartSet set;
  expr.for_each([&](Symbol s) { set = set | lanes.of(aware_.graph().term(s)); });
  return bits_of(lanes, set & reached);
}

void LiveLanes::close(uint32_t item, BlockLife& life) {
  const Open& open = open_[item];
  if (open.is_open) life.runs.push_back({aware_.items()[item].reg, open.first, open.last, open.lanes});
}

// From the end of the block to its start.
BlockLife LiveLanes::look_at(BlockId b, Lanes& lanes, PartSet reached) {
  BlockLife life;
  auto size = static_cast<uint32_t>(function_.insts(b).size());
  for (std::vector<uint32_t>& counts : life.aware) counts.assign(size, 0);
  for (std::vector<uint32_t>& counts : life.blind) counts.assign(size, 0);
  PredicateExpr last_expr;
  LaneBits last_bits = where(last_expr, lanes, reached);
  do {
    uint32_t point = aware_.position();
    std::array<std::array<uint32_t, Lanes::kMost>, kClasses.size()> counts{};
    for (const FlowState::Entry& entry : aware_.state().entries()) {
      if (entry.where != last_expr) {
        last_expr = entry.where;
        last_bits = where(last_expr, lanes, reached);
      }
      LaneBits bits = last_bits;
      if (bits.some == 0) continue;
      uint32_t kind = class_of(function_.type(aware_.items()[entry.item].reg));
      for (unsigned left = bits.some; left != 0; left &= left - 1) {
        ++counts[kind][static_cast<size_t>(std::countr_zero(left))];
      }
      Open& open = open_[entry.item];
      if (open.is_open && open.first == point + 1 && open.lanes == bits) {
        open.first = point;
        continue;
      }
      close(entry.item, life);
      if (!open.is_open) opened_.push_back(entry.item);
      open = {bits, point, point, true};
    }
    if (point > 0) {
      for (size_t kind = 0; kind < kClasses.size(); ++kind) {
        life.aware[kind][point - 1] = *std::ranges::max_element(counts[kind]);
      }
    }
  } while (aware_.advance());
  for (uint32_t item : opened_) {
    close(item, life);
    open_[item].is_open = false;
  }
  opened_.clear();
  auto key = [](const LiveRun& run) { return std::tuple(run.reg, run.first); };
  std::ranges::sort(life.runs, {}, key);
  count_blind(b, life);
  return life;
}

void LiveLanes::count_blind(BlockId b, BlockLife& life) {
  blind_.enter(b);
  do {
    uint32_t point = blind_.position();
    if (point == 0) continue;
    for (const FlowState::Entry& entry : blind_.state().entries()) {
      ++life.blind[class_of(function_.type(blind_.items()[entry.item].reg))][point - 1];
    }
  } while (blind_.advance());
}

}  // namespace psi::explore
