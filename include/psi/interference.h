// Which registers cannot share one: where one is written, the other holds what will be read.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "psi/predicate_flow.h"

namespace psi {

// For any form. Two registers interfere if one is given a value in an execution in which the other is live
// then: the sets of executions in which that is so are not known to be disjoint. Parameters get their values
// together, before the entry, and the phis of a block together, where it starts. The results of one
// instruction always interfere.
class Interference {
 public:
  // Near-linear in the sum, over all definitions, of what is live there. Takes memory for the pairs that
  // interfere.
  Interference(const Function& function, Analyses& analyses, FlowScope scope);

  bool interferes(Reg a, Reg b) const;
  // In the order of their numbers.
  std::span<const Reg> neighbours(Reg r) const {
    return std::span(neighbours_).subspan(start_[r.index()], start_[r.index() + 1] - start_[r.index()]);
  }
  uint64_t num_edges() const { return neighbours_.size() / 2; }

 private:
  std::vector<uint64_t> start_;  // by Reg, and one more
  std::vector<Reg> neighbours_;
};

}  // namespace psi
