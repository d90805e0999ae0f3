// The cost of a region with and without its branches, on a target.
#pragma once

#include <deque>
#include <optional>
#include <span>
#include <vector>

#include "predication/if_convert/control_classes.h"
#include "predication/if_convert/legality.h"
#include "predication/if_convert/schedule.h"
#include "psi/analysis/cfg.h"
#include "psi/analysis/frequencies.h"
#include "psi/analysis/loops.h"
#include "psi/analysis/uses.h"
#include "psi/pass/analyses.h"
#include "psi/target/target.h"

namespace psi::predication {

// Cycles per execution of the region or, where iterations overlap, per iteration of its loop.
struct Estimate {
  double with_branches = 0;
  double without = 0;
  double height = 0;  // without branches: the longest chain of latencies, or the longest loop-carried chain
  double width = 0;   // without branches: cycles to issue all instructions

  double gain() const { return with_branches - without; }
};

// The cycles of a block are the larger of its height, the longest chain of latencies, and its width, the
// cycles to issue its instructions. With branches each block is weighted by its frequency, and a branch costs
// the target's cost plus the penalty times the misprediction rate: the measured one, or else the probability
// of the rarer edge, if counted. Without branches, all instructions of all blocks are issued, and wait for
// their predicates.
//
// An out-of-order target overlaps iterations of an innermost loop. There the longest loop-carried chain
// counts, or the width of one iteration. A predicted branch is in no chain; a select is. A measured
// misprediction also costs the time until its condition is known. Elsewhere the same holds for a single
// iteration.
class CostModel {
 public:
  CostModel(const Function& function, Analyses& analyses, const Target& target, const Legality& legality);

  // Near-linear in the size of the region, and of a small loop around it.
  Estimate estimate(const Region& region);
  // Is the block estimated with the loop around it?
  bool is_in_small_loop(BlockId b) const;
  // The region counts as converted in estimates of loops from now on; or no longer. Chosen regions are
  // disjoint.
  void choose(const Region& region);
  void drop(const Region& region);

 private:
  // A region as one block.
  struct Converted {
    Converted(const Function& function, const Legality& legality, const Region& region);

    // The node of an exit target; none if the block is not one.
    std::optional<uint32_t> exit(BlockId b) const;

    RegionGraph graph;
    ControlClasses classes;
    std::vector<std::vector<uint32_t>> decides;  // by edge: classes
    std::vector<uint8_t> is_read;                // by class: an instruction has its predicate as guard
    std::vector<double> decided;                 // by class: when its predicate is available
    std::vector<double> known;                   // by class: when its conditions are available
  };
  struct Extent {
    double height = 0;
    double width = 0;
    double cycles() const { return std::max(height, width); }
  };

  static double num_exits(const RegionGraph& graph) { return static_cast<double>(graph.exits().size()); }
  double relative_frequency(BlockId b, BlockId of) const;
  static double mispredicted(double likeliest, bool is_measured);
  double mispredictions(BlockId b) const;
  double mispredictions(const RegionGraph& graph) const;
  Operand condition(BlockId b) const;
  void issue_block(BlockId b, double times);
  bool is_promoted(const Inst& inst) const;
  void issue_converted(Converted& converted, double times);
  double merged(const Converted& converted, uint32_t node, const Inst& phi, double times);

  void find_small_loops();
  Estimate estimate_alone(const Region& region);
  Estimate estimate_out_of_order(const Region& region);
  void issue_blocks(std::span<const BlockId> blocks, BlockId first, bool is_first_iteration);
  Extent iteration_extent(LoopId loop);
  Extent once(const Region& region, std::span<const BlockId> exits);
  double arriving(BlockId b, const Inst& phi, LoopId from);
  void join(BlockId b);
  double lost(BlockId b, double decided) const;
  Converted* converted_at(BlockId b) {
    return region_of_[b.index()] ? &chosen_[region_of_[b.index()] - 1] : nullptr;
  }

  const Function& function_;
  const Cfg& cfg_;
  const Uses& uses_;
  const Loops& loops_;
  const Frequencies& frequencies_;
  const Target& target_;
  const Legality& legality_;
  Inst select_, compare_;
  Schedule schedule_;
  std::deque<Converted> chosen_;     // classes refer to graphs
  std::vector<uint32_t> region_of_;  // by BlockId: 1 + its number in chosen_, or 0
  std::vector<uint8_t> is_small_;    // by LoopId
  std::vector<double> decided_;      // by BlockId, of those issued last: when its branch is decided decided
};

}  // namespace psi::predication
