// Frequencies from probabilities, as in LLVM's BlockFrequencyInfo: an elimination of loops after Wu and
// Larus, "Static Branch Frequency and Program Profile Analysis" (1994).
//
// Loops are taken from the innermost outwards. One unit of mass enters at the header and runs through the
// loop's own blocks in reverse post-order, where a loop inside, already done, acts as one node that forwards
// what it gets to its exits. What returns to the header multiplies all: with r returned, the loop runs 1 / (1
// - r) times each time it is entered. What leaves is added up by target, and becomes the node's exits in the
// loop around. In the end each block's mass is multiplied from the outermost loop inwards.
//
//   entry -1-> head(1) -> body(1) -7/8-> head       r = 7/8, scale 8, exits {end: 1/8 * 8 = 1}
//                           `----1/8-> end
//
// In reverse post-order of headers all edges between the nodes of a loop go forward, also where inner loops
// are irreducible: a block outside a loop that leads to it was not reached from its header, so it comes
// before it.
//
// An approximation: an irreducible loop is entered as if through its header. In reducible graphs the result
// is exact, if no loop runs longer than kMaxScale.
//
// O(edges times the loops they leave); exits with equal targets are merged, so the product is rarely large.

#include "psi/analysis/frequencies.h"

#include <algorithm>
#include <utility>

#include "analysis/branch_probabilities.h"
#include "psi/analysis/cfg.h"
#include "psi/analysis/loops.h"
#include "psi/analysis/order.h"

namespace psi {
namespace {

class MassFlow {
 public:
  MassFlow(const Cfg& cfg, const Order& order, const Loops& loops, const std::vector<double>& probability)
      : cfg_(cfg),
        order_(order),
        loops_(loops),
        probability_(probability),
        block_mass_(cfg.num_blocks()),
        packages_(loops.num_loops()),
        exit_of_(cfg.num_blocks()) {}

  std::vector<double> run() {
    list_nodes();
    for (uint32_t i = loops_.num_loops(); i-- > 0;) package(LoopId(i));
    current_ = LoopId();
    add(cfg_.entry(), 1);
    flow();
    return unpack();
  }

 private:
  struct Exit {
    BlockId target;
    double mass;
  };
  struct Package {
    double mass = 0;   // that enters, for one unit entering the loop around
    double scale = 1;  // executions of the header per entry of the loop
    uint64_t first_exit = 0;
    uint64_t end_of_exits = 0;
    LoopId outer;  // the loop around, or one further out once that is finished
  };

  Package& at(LoopId loop) { return packages_[loop.index()]; }
  // The function's body comes after all loops.
  uint32_t body_index(LoopId loop) const { return loop ? loop.index() : loops_.num_loops(); }

  // A loop's nodes: its own blocks, and the headers of the loops right inside it, which stand for them.
  void list_nodes() {
    node_start_.assign(loops_.num_loops() + 2, 0);
    auto for_each_node = [&](auto visit) {
      for (BlockId b : order_.reverse_post_order()) {
        LoopId loop = loops_.of(b);
        visit(body_index(loop), b);
        if (loops_.is_header(b)) visit(body_index(loops_.parent(loop)), b);
      }
    };
    for_each_node([&](uint32_t body, BlockId) { ++node_start_[body + 1]; });
    for (uint32_t i = 0; i <= loops_.num_loops(); ++i) node_start_[i + 1] += node_start_[i];
    nodes_.resize(node_start_.back());
    std::vector<uint32_t> next(node_start_.begin(), node_start_.end() - 1);
    for_each_node([&](uint32_t body, BlockId b) { nodes_[next[body]++] = b; });
  }

  void package(LoopId loop) {
    current_ = loop;
    returned_ = 0;
    Package& package = at(loop);
    package.first_exit = exits_.size();
    block_mass_[loops_.header(loop).index()] = 1;
    flow();
    bool is_capped = returned_ > 1 - 1 / Frequencies::kMaxScale;
    package.scale = is_capped ? Frequencies::kMaxScale : 1 / (1 - returned_);
    package.end_of_exits = exits_.size();
    for (uint64_t i = package.first_exit; i < package.end_of_exits; ++i) exits_[i].mass *= package.scale;
    for (LoopId inner : loops_.children(loop)) at(inner).outer = loop;
  }

  // Propagates the mass in the current loop, or in the function's body.
  void flow() {
    uint32_t body = body_index(current_);
    for (uint32_t i = node_start_[body]; i < node_start_[body + 1]; ++i) {
      BlockId b = nodes_[i];
      if (loops_.of(b) == current_) {
        std::span<const BlockId> successors = cfg_.successors(b);
        const double* probability = probability_.data() + cfg_.number({b, 0});
        for (size_t k = 0; k < successors.size(); ++k) {
          add(successors[k], block_mass_[b.index()] * probability[k]);
        }
      } else {
        const Package& inner = at(loops_.of(b));
        // The list may grow.
        for (uint64_t k = inner.first_exit; k < inner.end_of_exits; ++k) {
          Exit exit = exits_[k];
          add(exit.target, inner.mass * exit.mass);
        }
      }
    }
  }

  void add(BlockId target, double mass) {
    LoopId loop = loops_.of(target);
    if (current_ && target == loops_.header(current_)) {
      returned_ += mass;
    } else if (current_ && !loops_.contains(current_, target)) {
      add_exit(target, mass);
    } else if (loop == current_) {
      block_mass_[target.index()] += mass;
    } else {
      at(outermost_package(loop)).mass += mass;
    }
  }

  void add_exit(BlockId target, double mass) {
    uint64_t& known = exit_of_[target.index()];
    if (known > at(current_).first_exit) {
      exits_[known - 1].mass += mass;
      return;
    }
    exits_.push_back({target, mass});
    known = exits_.size();
  }

  // The direct child of the current loop that is or contains `loop`.
  LoopId outermost_package(LoopId loop) {
    while (LoopId outer = at(loop).outer) {
      if (LoopId further = at(outer).outer) at(loop).outer = further;
      loop = outer;
    }
    return loop;
  }

  std::vector<double> unpack() {
    auto capped = [](double frequency) { return std::min(frequency, Frequencies::kMaxFrequency); };
    std::vector<double> factor(loops_.num_loops());
    for (uint32_t i = 0; i < loops_.num_loops(); ++i) {
      LoopId up = loops_.parent(LoopId(i));
      factor[i] = capped((up ? factor[up.index()] : 1) * packages_[i].mass * packages_[i].scale);
    }
    std::vector<double> frequency(cfg_.num_blocks());
    for (BlockId b : order_.reverse_post_order()) {
      LoopId loop = loops_.of(b);
      frequency[b.index()] = capped(block_mass_[b.index()] * (loop ? factor[loop.index()] : 1));
    }
    return frequency;
  }

  const Cfg& cfg_;
  const Order& order_;
  const Loops& loops_;
  const std::vector<double>& probability_;
  std::vector<double> block_mass_;    // by BlockId: for one unit entering its innermost loop
  std::vector<Package> packages_;     // by LoopId
  std::vector<uint32_t> node_start_;  // by LoopId, then the function's body, and one more
  std::vector<BlockId> nodes_;
  std::vector<Exit> exits_;
  std::vector<uint64_t> exit_of_;  // by BlockId: one above the place of the last exit to it
  LoopId current_;
  double returned_ = 0;
};

}  // namespace

Frequencies::Frequencies(const Function& function, const Cfg& cfg, const Order& order, const Loops& loops)
    : frequency_(cfg.num_blocks()), first_edge_(cfg.num_blocks()) {
  if (!cfg.entry()) return;
  for (uint32_t i = 0; i < cfg.num_blocks(); ++i) first_edge_[i] = cfg.number({BlockId(i), 0});
  analysis::BranchProbabilities branches = analysis::branch_probabilities(function, cfg, order, loops);
  probability_ = std::move(branches.edges);
  if (branches.measured) source_ = Source::EdgeCounts;

  bool has_counts = function.count(cfg.entry()).value_or(0) > 0;
  for (BlockId b : order.reverse_post_order()) has_counts &= function.count(b).has_value();
  if (!has_counts) {
    frequency_ = MassFlow(cfg, order, loops, probability_).run();
    return;
  }
  source_ = Source::Counts;
  double entries = static_cast<double>(*function.count(cfg.entry()));
  for (BlockId b : order.reverse_post_order()) {
    frequency_[b.index()] = static_cast<double>(*function.count(b)) / entries;
  }
}

}  // namespace psi
