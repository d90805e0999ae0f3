#include "predication/if_convert/cost.h"

#include <algorithm>
#include <cmath>

#include "psi/analysis/cfg.h"
#include "psi/analysis/frequencies.h"
#include "psi/analysis/loops.h"
#include "psi/analysis/uses.h"
#include "psi/ir/views.h"
#include "psi/psi_transforms/speculate.h"

namespace psi::predication {
namespace {

// The assumed misprediction rate of branches with equally likely sides.
constexpr double kGuessedMispredictions = 0.15;

}  // namespace

CostModel::CostModel(const Function& function, Analyses& analyses, const Target& target,
                     const Legality& legality)
    : function_(function),
      cfg_(analyses.get<Cfg>()),
      uses_(analyses.get<Uses>()),
      loops_(analyses.get<Loops>()),
      frequencies_(analyses.get<Frequencies>()),
      target_(target),
      legality_(legality),
      schedule_(function, target),
      region_of_(function.num_blocks()),
      decided_(function.num_blocks()) {
  select_.op = Opcode::Select;
  compare_.op = Opcode::Cmp;
  if (target_.out_of_order) find_small_loops();
}

CostModel::Converted::Converted(const Function& function, const Legality& legality, const Region& region)
    : graph(function, region),
      classes(graph),
      decides(graph.edges().size()),
      is_read(classes.size()),
      decided(classes.size()),
      known(classes.size()) {
  for (uint32_t c = 1; c < classes.size(); ++c) {
    for (uint32_t e : classes.decisions(c)) decides[e].push_back(c);
  }
  for (uint32_t n = 1; n < graph.num_blocks(); ++n) {
    auto has_guard = [&](InstId id) { return legality.choice(id) == Choice::Guard; };
    if (std::ranges::any_of(function.insts(graph.block(n)), has_guard)) is_read[classes.of_node(n)] = 1;
  }
}

std::optional<uint32_t> CostModel::Converted::exit(BlockId b) const {
  auto found = std::ranges::find_if(graph.exits(), [&](uint32_t node) { return graph.block(node) == b; });
  return found == graph.exits().end() ? std::nullopt : std::optional(*found);
}

// The frequency of a block relative to another.
double CostModel::relative_frequency(BlockId b, BlockId of) const {
  return std::min(frequencies_.of(b) / std::max(frequencies_.of(of), 1e-300), 1.0);
}

// The misprediction rate of a branch whose likelier side has this probability.
double CostModel::mispredicted(double likeliest, bool is_measured) {
  double rarer = 1 - likeliest;
  return is_measured ? rarer : 2 * rarer * kGuessedMispredictions;
}

// The misprediction rate of the block's branch.
double CostModel::mispredictions(BlockId b) const {
  InstId last = function_.terminators(b).back();
  const Inst& inst = function_.inst(last);
  if (!is_decision(inst)) return 0;
  if (std::optional<uint32_t> rate = function_.misprediction_rate(last)) return *rate / 100.0;
  double likeliest = 0;
  uint32_t index = 0;
  function_.for_each_target(
      inst, [&](BlockId) { likeliest = std::max(likeliest, frequencies_.probability({b, index++})); });
  return mispredicted(likeliest, !function_.edge_counts(last).empty());
}

// The mispredictions of a region's exit branches, one for each exit but the last.
double CostModel::mispredictions(const RegionGraph& graph) const {
  double entered = std::max(frequencies_.of(graph.block(0)), 1e-300);
  double sum = 0;
  for (uint32_t exit : graph.exits().first(graph.exits().size() - 1)) {
    double taken = 0;
    bool is_measured = true;
    for (uint32_t e : graph.incoming(exit)) {
      const RegionGraph::Edge& edge = graph.edges()[e];
      BlockId from = graph.block(edge.from);
      bool is_branch = graph.outgoing(edge.from).size() > 1;
      // Returns and jumps are always taken.
      taken += (is_branch ? frequencies_.of(Edge{from, edge.index}) : frequencies_.of(from)) / entered;
      is_measured =
          is_measured && !(is_branch && function_.edge_counts(function_.terminators(from).back()).empty());
    }
    sum += mispredicted(std::clamp(std::max(taken, 1 - taken), 0.0, 1.0), is_measured);
  }
  return sum;
}

// The condition of the block's branch; none if it is always taken.
Operand CostModel::condition(BlockId b) const {
  return decided_by(function_, function_.terminators(b).back());
}

// All but phis and terminators, which are issued elsewhere.
void CostModel::issue_block(BlockId b, double times) {
  for (InstId id : function_.insts(b)) {
    const Inst& inst = function_.inst(id);
    if (inst.is_terminator()) break;
    if (!inst.is_phi()) schedule_.issue(inst, 0, times);
  }
}

// A phi at a node of the region, from those of its predecessors that are in it: a chain of selects, each of
// which reads a condition (psi-lower). Where definitions can have guards, phis are free.
double CostModel::merged(const Converted& converted, uint32_t node, const Inst& phi, double times) {
  const RegionGraph& graph = converted.graph;
  bool has_selects = !target_.can_guard(Opcode::Mov);
  double time = 0;
  uint32_t values = 0;
  for (auto [from, value] : phi_entries(function_, phi)) {
    double decided = -1;
    for (uint32_t e : graph.incoming(node)) {
      if (graph.block(graph.edges()[e].from) != from) continue;
      uint32_t c = converted.classes.of_edge(e);
      decided = std::max(decided, has_selects ? converted.known[c] : converted.decided[c]);
    }
    if (decided < 0) continue;
    time = std::max({time, schedule_.ready(value), values > 0 || !has_selects ? decided : 0});
    if (has_selects && values > 0) time += target_.latency(select_);
    ++values;
  }
  if (has_selects && values > 1) schedule_.occupy(target_.unit(select_), (values - 1) * times);
  return time;
}

// Its guard need not be read: it is safe where the guard is false, and no psi takes its result.
bool CostModel::is_promoted(const Inst& inst) const {
  if (target_.redirects(inst.op) || !can_be_speculated(function_, inst, false)) return false;
  return std::ranges::all_of(inst.results, [&](Reg r) {
    return !r || std::ranges::none_of(uses_.uses(r),
                                      [&](const Use& use) { return function_.inst(use.inst).is_phi(); });
  });
}

void CostModel::issue_converted(Converted& converted, double times) {
  const RegionGraph& graph = converted.graph;
  const ControlClasses& classes = converted.classes;
  std::ranges::fill(converted.decided, 0);
  std::ranges::fill(converted.known, 0);
  // Combining a condition in flags with others takes a move to a register and back.
  bool has_predicates = target_.register_class(RegisterKind::Predicate).count > 0 || target_.has_cmpp();
  uint32_t steps = has_predicates ? 1 : 3;
  for (uint32_t n = 0; n < graph.num_blocks(); ++n) {
    double here = converted.decided[classes.of_node(n)], known = converted.known[classes.of_node(n)];
    for (InstId id : function_.insts(graph.block(n))) {
      const Inst& inst = function_.inst(id);
      if (inst.is_terminator()) break;
      if (inst.is_phi()) {
        if (n > 0) schedule_.set_ready(inst.results[0], merged(converted, n, inst, times));
        continue;
      }
      bool waits = n > 0 && legality_.choice(id) == Choice::Guard && !is_promoted(inst);
      double earliest = waits ? here : 0;
      if (waits && target_.redirects(inst.op)) {
        schedule_.occupy(target_.unit(select_), times);
        earliest += target_.latency(select_);
      }
      schedule_.issue(inst, earliest, times);
    }
    double condition = schedule_.ready(this->condition(graph.block(n)));
    for (uint32_t e = graph.first_outgoing(n); e < graph.first_outgoing(n) + graph.outgoing(n).size(); ++e) {
      for (uint32_t c : converted.decides[e]) {
        // At the region's entry the existing compare decides.
        bool is_combined = here > 0 || classes.decisions(c).size() > 1;
        double time = std::max(condition, here) + (is_combined ? steps * target_.latency(compare_) : 0);
        bool is_computed = has_predicates || converted.is_read[c];
        if (is_combined && is_computed) schedule_.occupy(target_.unit(compare_), steps * times);
        converted.decided[c] = std::max(converted.decided[c], time);
        converted.known[c] = std::max({converted.known[c], condition, known});
      }
    }
  }
}

Estimate CostModel::estimate(const Region& region) {
  return target_.out_of_order ? estimate_out_of_order(region) : estimate_alone(region);
}

void CostModel::choose(const Region& region) {
  chosen_.emplace_back(function_, legality_, region);
  for (BlockId b : region.blocks) region_of_[b.index()] = static_cast<uint32_t>(chosen_.size());
}

void CostModel::drop(const Region& region) {
  for (BlockId b : region.blocks) region_of_[b.index()] = 0;
}

Estimate CostModel::estimate_alone(const Region& region) {
  Estimate estimate;
  for (BlockId b : region.blocks) {
    schedule_.start();
    issue_block(b, 1);
    double branch = target_.branch_cost + target_.misprediction * mispredictions(b);
    estimate.with_branches += relative_frequency(b, region.entry()) *
                              (std::max(schedule_.height(), std::ceil(schedule_.width())) + branch);
  }
  Converted converted(function_, legality_, region);
  schedule_.start();
  issue_converted(converted, 1);
  estimate.height = schedule_.height();
  estimate.width = std::ceil(schedule_.width());
  estimate.without = std::max(estimate.height, estimate.width) + target_.branch_cost +
                     target_.misprediction * mispredictions(converted.graph);
  return estimate;
}

}  // namespace psi::predication
