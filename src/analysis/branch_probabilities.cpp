// The exits of a block are its edges, its returns and its `unreachable`s, with equal weights. The terminators
// of a group are tried in order: each takes a part of the probability that the earlier ones left.
//
// Where no terminator of a group has counts, its exits first get uniform weights (guards are true half of the
// time, targets equally likely), and then two rules apply: leaving the loop is unlikely, heading for
// `unreachable` is very unlikely. These are the loop branch and the unreachable heuristics of Ball and Larus,
// "Branch Prediction for Free" (1993), with LLVM's order of magnitude. Where one has counts, the guards'
// probabilities follow from the counts as far as possible, and the rules apply only among the targets of
// terminators without counts.
//
// Linear.

#include "analysis/branch_probabilities.h"

#include <algorithm>
#include <numeric>
#include <optional>

#include "psi/analysis/cfg.h"
#include "psi/analysis/loops.h"
#include "psi/analysis/order.h"

namespace psi::analysis {
namespace {

constexpr double kGuardIsTrue = 0.5;
constexpr double kLeavesLoop = 1.0 / 8;
constexpr double kLeadsToUnreachable = 0x1p-20;

enum Kind : uint8_t { Stays, Leaves, Unreachable, kNumKinds };

struct Exit {
  static constexpr uint32_t kNoEdge = UINT32_MAX;

  double weight;
  Kind kind;
  uint32_t edge;  // its number
};

// Keeps the sum of the weights, and within each kind their proportions.
void apply_rules(std::span<Exit> exits) {
  double sums[kNumKinds] = {};
  for (const Exit& exit : exits) sums[exit.kind] += exit.weight;
  double alive = sums[Stays] + sums[Leaves];
  double total = alive + sums[Unreachable];

  double adjusted[kNumKinds] = {sums[Stays], sums[Leaves], sums[Unreachable]};
  if (sums[Unreachable] > 0 && alive > 0) {
    adjusted[Unreachable] = total * kLeadsToUnreachable;
    for (Kind kind : {Stays, Leaves}) adjusted[kind] = sums[kind] / alive * (total - adjusted[Unreachable]);
  }
  if (sums[Stays] > 0 && sums[Leaves] > 0) {
    double both = adjusted[Stays] + adjusted[Leaves];
    adjusted[Leaves] = both * kLeavesLoop;
    adjusted[Stays] = both - adjusted[Leaves];
  }
  for (Exit& exit : exits) {
    if (sums[exit.kind] > 0) exit.weight *= adjusted[exit.kind] / sums[exit.kind];
  }
}

class Estimator {
 public:
  Estimator(const Function& function, const Cfg& cfg, const Order& order, const Loops& loops)
      : function_(function),
        cfg_(cfg),
        order_(order),
        loops_(loops),
        leads_to_unreachable_(cfg.num_blocks()) {}

  BranchProbabilities run() {
    find_unreachable();
    result_.edges.resize(cfg_.num_edges());
    for (BlockId b : order_.reverse_post_order()) estimate(b);
    return std::move(result_);
  }

 private:
  // The blocks from which every path leads to `unreachable`. One sweep in post-order; a loop does not count,
  // as it may never end.
  void find_unreachable() {
    std::span<const BlockId> order = order_.reverse_post_order();
    for (size_t i = order.size(); i-- > 0;) {
      BlockId b = order[i];
      bool unreachable = true;
      for (InstId id : function_.terminators(b)) unreachable &= function_.inst(id).op != Opcode::Ret;
      for (BlockId to : cfg_.successors(b)) unreachable &= leads_to_unreachable_[to.index()] != 0;
      leads_to_unreachable_[b.index()] = unreachable;
    }
  }

  void estimate(BlockId b) {
    std::span<const InstId> group = function_.terminators(b);
    exits_.clear();
    next_edge_ = cfg_.number({b, 0});
    bool has_counts = false;
    for (InstId id : group) has_counts |= taken(id).value_or(0) > 0;
    if (has_counts) {
      result_.measured = true;
      estimate_with_counts(b, group);
    } else {
      double left = 1;
      for (InstId id : group) {
        double part = function_.inst(id).guard ? left * kGuardIsTrue : left;
        add_exits(b, id, part);
        left -= part;
      }
      apply_rules(exits_);
    }
    for (const Exit& exit : exits_) {
      if (exit.edge != Exit::kNoEdge) result_.edges[exit.edge] = exit.weight;
    }
  }

  // The measured executions of the terminator's edges; returns have none.
  std::optional<uint64_t> taken(InstId id) const {
    std::span<const uint64_t> counts = function_.edge_counts(id);
    if (counts.empty()) return std::nullopt;
    return std::accumulate(counts.begin(), counts.end(), uint64_t{0});
  }

  void estimate_with_counts(BlockId b, std::span<const InstId> group) {
    find_arrivals(b, group);
    double left = 1;
    for (size_t i = 0; i < group.size(); ++i) {
      double part = function_.inst(group[i]).guard ? left * guard_probability(group, i) : left;
      left -= part;
      size_t first = exits_.size();
      add_exits(b, group[i], part);
      std::span<Exit> exits = std::span(exits_).subspan(first);
      uint64_t sum = taken(group[i]).value_or(0);
      if (sum == 0) {
        apply_rules(exits);
        continue;
      }
      std::span<const uint64_t> counts = function_.edge_counts(group[i]);
      for (size_t k = 0; k < std::min(exits.size(), counts.size()); ++k) {
        exits[k].weight = part * (static_cast<double>(counts[k]) / static_cast<double>(sum));
      }
    }
  }

  // How often each terminator of the group was tried, if known: the count of it and the later ones, or the
  // block's count without the earlier ones.
  void find_arrivals(BlockId b, std::span<const InstId> group) {
    arrivals_.assign(group.size(), std::nullopt);
    std::optional<uint64_t> left = function_.count(b);
    for (size_t i = 0; i < group.size() && left; ++i) {
      arrivals_[i] = left;
      std::optional<uint64_t> here = taken(group[i]);
      left = here ? std::optional(*left - std::min(*left, *here)) : std::nullopt;
    }
    uint64_t sum = 0;
    for (size_t i = group.size(); i-- > 0;) {
      std::optional<uint64_t> here = taken(group[i]);
      if (!here) break;
      sum += *here;
      arrivals_[i] = sum;
    }
  }

  double guard_probability(std::span<const InstId> group, size_t i) const {
    std::optional<uint64_t> here = taken(group[i]);
    // A guarded return was taken by the rest that did not reach the next terminator.
    if (!here && arrivals_[i] && i + 1 < group.size() && arrivals_[i + 1]) {
      here = *arrivals_[i] - std::min(*arrivals_[i], *arrivals_[i + 1]);
    }
    if (!here || arrivals_[i].value_or(0) == 0) return kGuardIsTrue;
    return std::min(1.0, static_cast<double>(*here) / static_cast<double>(*arrivals_[i]));
  }

  // One exit for each target of the terminator, or one for a return, equally likely, `part` in total.
  void add_exits(BlockId b, InstId id, double part) {
    const Inst& inst = function_.inst(id);
    LoopId loop = loops_.of(b);
    if (inst.op == Opcode::Ret || inst.op == Opcode::Unreachable) {
      Kind kind = inst.op == Opcode::Unreachable ? Unreachable : loop ? Leaves : Stays;
      exits_.push_back({part, kind, Exit::kNoEdge});
      return;
    }
    size_t first = exits_.size();
    function_.for_each_target(inst, [&](BlockId to) {
      Kind kind = leads_to_unreachable_[to.index()]    ? Unreachable
                  : loop && !loops_.contains(loop, to) ? Leaves
                                                       : Stays;
      exits_.push_back({part, kind, next_edge_++});
    });
    for (Exit& exit : std::span(exits_).subspan(first))
      exit.weight /= static_cast<double>(exits_.size() - first);
  }

  const Function& function_;
  const Cfg& cfg_;
  const Order& order_;
  const Loops& loops_;
  std::vector<uint8_t> leads_to_unreachable_;  // by BlockId
  BranchProbabilities result_;
  // Of the current block.
  std::vector<Exit> exits_;
  std::vector<std::optional<uint64_t>> arrivals_;  // parallel to the terminators
  uint32_t next_edge_ = 0;
};

}  // namespace

BranchProbabilities branch_probabilities(const Function& function, const Cfg& cfg, const Order& order,
                                         const Loops& loops) {
  return Estimator(function, cfg, order, loops).run();
}

}  // namespace psi::analysis
