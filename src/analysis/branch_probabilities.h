// The probability of each edge, from counts or estimated. The rules are in psi/analysis/frequencies.h.
#pragma once

#include <vector>

#include "psi/analysis/cfg.h"
#include "psi/analysis/loops.h"
#include "psi/analysis/order.h"

namespace psi::analysis {

struct BranchProbabilities {
  std::vector<double> edges;  // by edge number; 0 for the edges of unreachable blocks
  bool measured = false;      // did counts determine any?
};

BranchProbabilities branch_probabilities(const Function& function, const Cfg& cfg, const Order& order,
                                         const Loops& loops);

}  // namespace psi::analysis
