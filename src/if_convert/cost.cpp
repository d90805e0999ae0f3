#include "if_convert/cost.h"

#include <algorithm>
#include <array>

namespace psi::if_conversion {
namespace {

// Of the branches whose sides are taken equally often as far as one knows, so many are mispredicted.
constexpr double kGuessedMispredictions = 0.15;

}  // namespace

class CostModel::Schedule {
 public:
  explicit Schedule(CostModel& model) : model_(model) { ++model_.current_; }

  uint32_t ready(Operand operand) const { return operand.reads_reg() ? ready(operand.reg()) : 0; }
  uint32_t ready(Reg r) const {
    bool is_here = r.index() < model_.stamp_.size() && model_.stamp_[r.index()] == model_.current_;
    return is_here ? model_.ready_[r.index()] : 0;
  }
  void set_ready(Reg r, uint32_t time) {
    model_.ready_[r.index()] = time;
    model_.stamp_[r.index()] = model_.current_;
    height_ = std::max(height_, time);
  }

  // When its operands are there, and not before `earliest`.
  uint32_t issue(const Inst& inst, uint32_t earliest) {
    uint32_t start = earliest;
    for (Operand operand : model_.function_.operands(inst)) start = std::max(start, ready(operand));
    if (inst.guard) start = std::max(start, ready(inst.guard.reg()));
    occupy(model_.target_.unit(inst));
    uint32_t end = start + model_.target_.latency(inst);
    for (Reg result : inst.results) {
      if (result) set_ready(result, end);
    }
    height_ = std::max(height_, end);
    return end;
  }
  // A psi occupies none.
  void occupy(std::optional<Unit> unit, uint32_t times = 1) {
    if (!unit) return;
    used_[static_cast<size_t>(*unit)] += times;
    issued_ += times;
  }

  uint32_t height() const { return height_; }
  uint32_t width() const {
    const Target& target = model_.target_;
    uint32_t cycles = (issued_ + target.issue_width - 1) / std::max(1u, target.issue_width);
    for (size_t unit = 0; unit < used_.size(); ++unit) {
      uint32_t there = std::max(1u, target.units[unit]);
      cycles = std::max(cycles, (used_[unit] + there - 1) / there);
    }
    return cycles;
  }
  uint32_t cycles() const { return std::max(height(), width()); }

 private:
  CostModel& model_;
  std::array<uint32_t, kNumUnits> used_{};
  uint32_t issued_ = 0;
  uint32_t height_ = 0;
};

CostModel::CostModel(const Function& function, Analyses& analyses, const Target& target,
                     const Legality& legality)
    : function_(function),
      frequencies_(analyses.frequencies()),
      target_(target),
      legality_(legality),
      ready_(function.num_regs()),
      stamp_(function.num_regs()) {}

double CostModel::branch_cycles(BlockId b) const {
  InstId last = function_.terminators(b).back();
  const Inst& inst = function_.inst(last);
  double cycles = target_.branch_cost;
  if (inst.count < 3) return cycles;
  double likeliest = 0;
  uint32_t index = 0;
  function_.for_each_target(
      inst, [&](BlockId) { likeliest = std::max(likeliest, frequencies_.probability({b, index++})); });
  double rarer = 1 - likeliest;
  bool is_measured = !function_.edge_counts(last).empty();
  return cycles + target_.misprediction * (is_measured ? rarer : 2 * rarer * kGuessedMispredictions);
}

Estimate CostModel::estimate(const Region& region) {
  Estimate estimate;
  double entered = std::max(frequencies_.of(region.entry()), 1e-300);
  for (BlockId b : region.blocks) {
    Schedule schedule(*this);
    for (InstId id : function_.insts(b)) {
      const Inst& inst = function_.inst(id);
      if (inst.is_terminator()) break;
      if (!inst.is_phi()) schedule.issue(inst, 0);
    }
    double share = std::min(frequencies_.of(b) / entered, 1.0);
    estimate.with_branches += share * (schedule.cycles() + branch_cycles(b));
  }

  RegionGraph graph(function_, region);
  ControlClasses classes(graph);
  Schedule schedule(*this);
  std::vector<uint32_t> decided(classes.size());  // by class: when its predicate is there
  std::vector<std::vector<uint32_t>> classes_of(graph.edges().size());
  for (uint32_t c = 1; c < classes.size(); ++c) {
    for (uint32_t e : classes.decisions(c)) classes_of[e].push_back(c);
  }
  Inst select;
  select.op = Opcode::Select;
  Inst compare;
  compare.op = Opcode::Cmp;
  bool has_guarded_moves = target_.can_guard(Opcode::Mov);
  for (uint32_t n = 0; n < graph.num_blocks(); ++n) {
    BlockId b = graph.block(n);
    uint32_t here = decided[classes.of_node(n)];
    for (InstId id : function_.insts(b)) {
      const Inst& inst = function_.inst(id);
      if (inst.is_terminator()) break;
      if (n > 0 && inst.is_phi()) {
        // As guarded moves where definitions can have guards, they cost nothing by themselves.
        uint32_t time = 0;
        for (uint32_t e : graph.incoming(n)) time = std::max(time, decided[classes.of_edge(e)]);
        for (Operand operand : function_.operands(inst)) time = std::max(time, schedule.ready(operand));
        if (!has_guarded_moves) {
          uint32_t selects = static_cast<uint32_t>(graph.incoming(n).size()) - 1;
          schedule.occupy(target_.unit(select), selects);
          time += target_.latency(select);
        }
        schedule.set_ready(inst.results[0], time);
        continue;
      }
      if (inst.is_phi()) continue;
      bool waits = n > 0 && legality_.way(id) == Way::Guard;
      schedule.issue(inst, waits ? here : 0);
    }
    const Inst& last = function_.inst(function_.terminators(b).back());
    uint32_t condition = last.count > 1 ? schedule.ready(function_.operands(last)[0]) : 0;
    for (uint32_t e = graph.first_outgoing(n); e < graph.first_outgoing(n) + graph.outgoing(n).size(); ++e) {
      for (uint32_t c : classes_of[e]) {
        // The compare that is there already decides at the region's entry.
        bool is_combined = here > 0 || classes.decisions(c).size() > 1;
        uint32_t time = std::max(condition, here) + (is_combined ? target_.latency(compare) : 0);
        if (is_combined) schedule.occupy(target_.unit(compare));
        decided[c] = std::max(decided[c], time);
      }
    }
  }
  estimate.height = schedule.height();
  estimate.width = schedule.width();
  estimate.without = schedule.cycles();
  estimate.without += static_cast<double>(target_.branch_cost) * static_cast<double>(graph.exits().size());
  return estimate;
}

}  // namespace psi::if_conversion
