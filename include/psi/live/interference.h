// Interference: which registers cannot share one, because one is written while the other is live.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "psi/live/predicate_flow.h"

namespace psi {

// For any form. Two registers interfere if one is written at a point and in an execution in which the other
// is live: the two sets of executions are not known to be disjoint. Parameters are written together before
// the entry, and the phis of a block together at its start. The results of one instruction always interfere.
class Interference {
 public:
  // Near-linear in the sum, over all definitions, of the registers live there. Takes memory for the
  // interfering pairs.
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
