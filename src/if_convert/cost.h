// What a region costs with its branches and without, on a machine.
#pragma once

#include <vector>

#include "if_convert/control_classes.h"
#include "if_convert/legality.h"
#include "psi/analyses.h"
#include "psi/target.h"

namespace psi::if_conversion {

// Cycles for each time that the region is entered.
struct Estimate {
  double with_branches = 0;
  double without = 0;
  uint32_t height = 0;  // of the one block: its longest chain of latencies
  uint32_t width = 0;   // likewise: cycles until all its instructions are issued

  double gain() const { return with_branches - without; }
};

// A block takes as long as its longest chain of latencies, or as the machine needs to issue its instructions,
// whichever is longer. With branches each block counts as often as it is executed, and a branch costs what
// the machine says, and more as often as it is mispredicted: as often as its rarer side is taken, if that was
// measured. Without, all instructions of all blocks are issued, and wait for their predicates.
class CostModel {
 public:
  CostModel(const Function& function, Analyses& analyses, const Target& target, const Legality& legality);

  // Near-linear.
  Estimate estimate(const Region& region);

 private:
  // Instructions that are issued together, and when their results are there.
  class Schedule;

  double branch_cycles(BlockId b) const;

  const Function& function_;
  const Frequencies& frequencies_;
  const Target& target_;
  const Legality& legality_;
  std::vector<uint32_t> ready_;  // by Reg: in the block being looked at
  std::vector<uint32_t> stamp_;  // by Reg: whether that was set for this one
  uint32_t current_ = 0;
};

}  // namespace psi::if_conversion
