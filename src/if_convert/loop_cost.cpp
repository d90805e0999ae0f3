// What a region costs in a loop whose rounds overlap: some rounds are followed from definition to use, and
// how much later values arrive at the phis of the header with each, is how long one takes.
#include <algorithm>

#include "if_convert/cost.h"

namespace psi::if_conversion {
namespace {

// Rounds until chains have settled, and those that are measured.
constexpr int kFirstRounds = 3;
constexpr int kMeasuredRounds = 3;
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

// When a phi's value is there, on the average of the ways that control comes; in a loop, if it is to be one.
double CostModel::arriving(BlockId b, const Inst& phi, LoopId from) {
  std::span<const Operand> pairs = function_.operands(phi);
  double sum = 0, weight = 0;
  for (size_t i = 0; i < pairs.size(); i += 2) {
    BlockId pred = pairs[i].block();
    if (from && !loops_.contains(from, pred)) continue;
    double taken = 0;
    uint32_t index = 0;
    for (BlockId to : cfg_.successors(pred)) {
      if (to == b) taken += frequencies_.of(Edge{pred, index});
      ++index;
    }
    weight += taken;
    // What comes from one region is merged there, and each of its ways stands for all.
    const Converted* converted = converted_at(pred);
    double share = taken / std::max(frequencies_.of(b), 1e-300);
    sum += taken *
           (converted ? merged(*converted, converted->exit(b), phi, share) : schedule_.ready(pairs[i + 1]));
  }
  return weight > 0 ? sum / weight : 0;
}

CostModel::Round CostModel::round(LoopId loop) {
  BlockId header = loops_.header(loop);
  std::vector<double> arrived, next;
  Round result;
  schedule_.start();
  for (int round = 0; round <= kFirstRounds + kMeasuredRounds; ++round) {
    schedule_.clear_issued();
    // All are read before any is written.
    next.clear();
    for (InstId id : function_.insts(header)) {
      if (!function_.inst(id).is_phi()) break;
      next.push_back(round == 0 ? 0 : arriving(header, function_.inst(id), loop));
    }
    if (round == kFirstRounds) arrived = next;
    for (size_t i = 0; i < next.size(); ++i) {
      schedule_.set_ready(function_.inst(function_.insts(header)[i]).results[0], next[i]);
    }
    for (BlockId b : loops_.blocks(loop)) {
      Converted* converted = converted_at(b);
      if (converted && b != converted->graph.block(0)) continue;
      for (InstId id : function_.insts(b)) {
        const Inst& phi = function_.inst(id);
        if (b == header || !phi.is_phi()) break;
        schedule_.set_ready(phi.results[0], arriving(b, phi, LoopId()));
      }
      double times = share(b, header);
      converted ? issue_converted(*converted, times) : issue_block(b, times);
      if (round == 0) decided_[b.index()] = schedule_.ready(condition(b));
      schedule_.occupy(Unit::Branch, times * (converted ? num_exits(converted->graph) : 1));
    }
    result.width = schedule_.width();
  }
  for (size_t i = 0; i < next.size(); ++i) {
    result.height = std::max(result.height, (next[i] - arrived[i]) / kMeasuredRounds);
  }
  return result;
}

// Regions within this one that were chosen are converted in either case.
Estimate CostModel::estimate_in_loop(const Region& region, LoopId loop) {
  Estimate estimate;
  estimate.with_branches = round(loop).cycles();
  std::vector<uint32_t> before;
  for (BlockId b : region.blocks) {
    before.push_back(region_of_[b.index()]);
    if (before.back()) continue;
    // Rounds do not overlap where one is entered by mistake. That counts only where mistakes were counted:
    // how often the rarer side is taken is more often than that.
    bool is_measured = function_.missed(function_.terminators(b).back()).has_value();
    double lost = target_.misprediction + (is_measured ? decided_[b.index()] : 0);
    estimate.with_branches += share(b, loops_.header(loop)) * mispredictions(b) * lost;
  }
  choose(region);
  Round without = round(loop);
  double left = share(region.entry(), loops_.header(loop)) * mispredictions(chosen_.back().graph);
  chosen_.pop_back();
  for (size_t i = 0; i < before.size(); ++i) region_of_[region.blocks[i].index()] = before[i];
  estimate.height = without.height;
  estimate.width = without.width;
  estimate.without = without.cycles() + left * target_.misprediction;
  return estimate;
}

}  // namespace psi::if_conversion
