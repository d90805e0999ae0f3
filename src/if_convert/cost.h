// What a region costs with its branches and without, on a machine.
#pragma once

#include <deque>
#include <optional>
#include <span>
#include <vector>

#include "if_convert/control_classes.h"
#include "if_convert/legality.h"
#include "if_convert/schedule.h"
#include "psi/analyses.h"
#include "psi/target.h"

namespace psi::if_conversion {

// Cycles for each time that the region is entered or, where rounds overlap, for each round of its loop.
struct Estimate {
  double with_branches = 0;
  double without = 0;
  double height = 0;  // without them: the longest chain of latencies, or of those from round to round
  double width = 0;   // likewise: cycles until all instructions are issued

  double gain() const { return with_branches - without; }
};

// A block takes as long as its longest chain of latencies, or as the machine needs to issue its instructions,
// whichever is longer. With branches each block counts as often as it is executed, and a branch costs what
// the machine says, and more as often as it is mispredicted: as often as was measured, or else as often as
// its rarer side is taken, if that was. Without, all instructions of all blocks are issued, and wait for
// their predicates.
//
// A machine that executes instructions out of order is in several rounds of an innermost loop at once. What
// counts there is the longest chain that goes on from round to round, or what it takes to issue one round. A
// branch that is foreseen is in no chain; a select is. Where it is known how often one is not foreseen, this
// costs the time until its condition is there, too. Elsewhere the same holds for one round.
class CostModel {
 public:
  CostModel(const Function& function, Analyses& analyses, const Target& target, const Legality& legality);

  // Near-linear in the size of the region, and of a loop around it that is not too large.
  Estimate estimate(const Region& region);
  // Is what a block costs estimated with the loop around it?
  bool is_in_small_loop(BlockId b) const;
  // From now on the region counts as converted, where loops are looked at; or no longer. Those that are
  // chosen share no blocks.
  void choose(const Region& region);
  void drop(const Region& region);

 private:
  // A region as one block.
  struct Converted {
    Converted(const Function& function, const Legality& legality, const Region& region);

    // The node of a block that control leaves the region for; none if it does not.
    std::optional<uint32_t> exit(BlockId b) const;

    RegionGraph graph;
    ControlClasses classes;
    std::vector<std::vector<uint32_t>> decides;  // by edge: classes
    std::vector<uint8_t> is_read;                // by class: an instruction has its predicate as guard
    std::vector<double> decided;                 // by class: when its predicate is there
    std::vector<double> known;                   // by class: when the conditions for it are there
  };
  struct Round {
    double height = 0;
    double width = 0;
    double cycles() const { return std::max(height, width); }
  };

  static double num_exits(const RegionGraph& graph) { return static_cast<double>(graph.exits().size()); }
  double share(BlockId b, BlockId of) const;
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
  void issue_blocks(std::span<const BlockId> blocks, BlockId first, bool is_first_round);
  Round round(LoopId loop);
  Round once(const Region& region, std::span<const BlockId> exits);
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
  std::vector<double> decided_;      // by BlockId, of those issued last: when its branch is
};

}  // namespace psi::if_conversion
