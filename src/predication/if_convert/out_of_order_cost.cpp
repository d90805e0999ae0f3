// The cost of a region where instructions wait only for operands. Iterations of a loop overlap: some are
// simulated from definition to use, and the increase in arrival times at the phis of the header per iteration
// is the time of one iteration.
#include <algorithm>

#include "predication/if_convert/cost.h"
#include "psi/analysis/cfg.h"
#include "psi/analysis/loops.h"
#include "psi/ir/views.h"

namespace psi::predication {
namespace {

// Iterations until chains have settled, and measured iterations.
constexpr int kFirstIterations = 3;
constexpr int kMeasuredIterations = 3;
// Every region in a loop is estimated with the loop around it.
constexpr size_t kMaxInsts = 1000;

}  // namespace

void CostModel::find_small_loops() {
  is_small_.resize(loops_.num_loops());
  for (uint32_t i = 0; i < loops_.num_loops(); ++i) {
    LoopId loop(i);
    if (!loops_.children(loop).empty() || !loops_.is_reducible(loop)) continue;
    size_t size = 0;
    for (BlockId b : loops_.blocks(loop)) size += function_.insts(b).size() + cfg_.successors(b).size();
    is_small_[i] = size <= kMaxInsts;
  }
}

bool CostModel::is_in_small_loop(BlockId b) const {
  LoopId loop = loops_.of(b);
  return loop && !is_small_.empty() && is_small_[loop.index()];
}

// When a phi's value is available, on the average of its incoming edges; within a loop if given.
double CostModel::arriving(BlockId b, const Inst& phi, LoopId from) {
  double sum = 0, weight = 0;
  for (auto [pred, value] : phi_entries(function_, phi)) {
    if (from && !loops_.contains(from, pred)) continue;
    double taken = 0;
    uint32_t index = 0;
    for (BlockId to : cfg_.successors(pred)) {
      if (to == b) taken += frequencies_.of(Edge{pred, index});
      ++index;
    }
    weight += taken;
    // Values from one region are merged in it, so any of its edges represents all.
    const Converted* converted = converted_at(pred);
    std::optional<uint32_t> exit = converted ? converted->exit(b) : std::nullopt;
    double probability = taken / std::max(frequencies_.of(b), 1e-300);
    sum += taken * (exit ? merged(*converted, *exit, phi, probability) : schedule_.ready(value));
  }
  return weight > 0 ? sum / weight : 0;
}

// The phis of a block, from all edges.
void CostModel::join(BlockId b) {
  for (InstId id : function_.insts(b)) {
    const Inst& phi = function_.inst(id);
    if (!phi.is_phi()) break;
    schedule_.set_ready(phi.results[0], arriving(b, phi, LoopId()));
  }
}

// The cycles lost to mispredictions of the block's branch per execution. Iterations do not overlap after a
// misprediction. That counts only for measured rates: the probability of the rarer edge overestimates.
double CostModel::lost(BlockId b, double decided) const {
  bool is_measured = function_.misprediction_rate(function_.terminators(b).back()).has_value();
  return mispredictions(b) * (target_.misprediction + (is_measured ? decided : 0));
}

// Each weighted by its frequency relative to the first. Chosen regions count as converted.
void CostModel::issue_blocks(std::span<const BlockId> blocks, BlockId first, bool is_first_iteration) {
  for (BlockId b : blocks) {
    Converted* converted = converted_at(b);
    if (converted && b != converted->graph.block(0)) continue;
    if (b != first) join(b);
    double times = relative_frequency(b, first);
    converted ? issue_converted(*converted, times) : issue_block(b, times);
    if (is_first_iteration) decided_[b.index()] = schedule_.ready(condition(b));
    schedule_.occupy(Unit::Branch, times * (converted ? num_exits(converted->graph) : 1));
  }
}

CostModel::Extent CostModel::iteration_extent(LoopId loop) {
  BlockId header = loops_.header(loop);
  std::vector<double> arrived, next;
  Extent result;
  schedule_.start();
  for (int iteration = 0; iteration <= kFirstIterations + kMeasuredIterations; ++iteration) {
    schedule_.clear_issued();
    // All are read before any is written.
    next.clear();
    for (InstId id : function_.insts(header)) {
      if (!function_.inst(id).is_phi()) break;
      next.push_back(iteration == 0 ? 0 : arriving(header, function_.inst(id), loop));
    }
    if (iteration == kFirstIterations) arrived = next;
    for (size_t i = 0; i < next.size(); ++i) {
      schedule_.set_ready(function_.inst(function_.insts(header)[i]).results[0], next[i]);
    }
    issue_blocks(loops_.blocks(loop), header, iteration == 0);
    result.width = schedule_.width();
  }
  for (size_t i = 0; i < next.size(); ++i) {
    result.height = std::max(result.height, (next[i] - arrived[i]) / kMeasuredIterations);
  }
  return result;
}

// A single iteration. Code after the region waits for its results.
CostModel::Extent CostModel::once(const Region& region, std::span<const BlockId> exits) {
  schedule_.start();
  issue_blocks(region.blocks, region.entry(), true);
  for (BlockId exit : exits) join(exit);
  return {schedule_.height(), schedule_.width()};
}

// Chosen regions within this one are converted in either case.
Estimate CostModel::estimate_out_of_order(const Region& region) {
  LoopId loop = is_in_small_loop(region.entry()) ? loops_.of(region.entry()) : LoopId();
  BlockId first = loop ? loops_.header(loop) : region.entry();
  std::vector<uint32_t> before;
  for (BlockId b : region.blocks) before.push_back(region_of_[b.index()]);

  choose(region);
  const RegionGraph& graph = chosen_.back().graph;
  std::vector<BlockId> exits;
  for (uint32_t exit : graph.exits()) {
    // Returns have no target.
    if (graph.block(exit)) exits.push_back(graph.block(exit));
  }
  Extent without = loop ? iteration_extent(loop) : once(region, exits);
  double left = relative_frequency(region.entry(), first) * mispredictions(graph);
  chosen_.pop_back();
  for (size_t i = 0; i < before.size(); ++i) region_of_[region.blocks[i].index()] = before[i];

  Estimate estimate;
  estimate.with_branches = (loop ? iteration_extent(loop) : once(region, exits)).cycles();
  for (size_t i = 0; i < before.size(); ++i) {
    BlockId b = region.blocks[i];
    if (!before[i]) estimate.with_branches += relative_frequency(b, first) * lost(b, decided_[b.index()]);
  }
  estimate.height = without.height;
  estimate.width = without.width;
  estimate.without = without.cycles() + left * target_.misprediction;
  return estimate;
}

}  // namespace psi::predication
