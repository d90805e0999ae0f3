// How likely each edge is to be taken, from counts or by guessing. The rules are in psi/frequencies.h.
#pragma once

#include <vector>

#include "psi/cfg.h"
#include "psi/loops.h"
#include "psi/order.h"

namespace psi::analysis {

struct BranchProbabilities {
  std::vector<double> edges;  // by edge number; 0 for the edges of unreachable blocks
  bool measured = false;      // did counts decide any?
};

BranchProbabilities branch_probabilities(const Function& function, const Cfg& cfg, const Order& order,
                                         const Loops& loops);

}  // namespace psi::analysis
