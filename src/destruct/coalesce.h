// Copies that coalescing may remove.
#pragma once

#include <cstdint>
#include <vector>

#include "destruct/copies.h"
#include "live/web_interference.h"
#include "psi/live/webs.h"
#include "psi/pass/analyses.h"

namespace psi::destruct {

// Additional weight of each copy, so that fewer copies win among equal weights.
inline constexpr double kEachCopy = 1e-3;

// A copy from register to register, and how often it is executed.
struct Affinity {
  Reg target;
  Reg source;
  double weight = 0;
};

// The sum of the weights of the copies between different webs.
double cost(const Webs& webs, const std::vector<Affinity>& affinities);

// All of the function, those executed most often first.
std::vector<Affinity> collect_affinities(const Function& function, Analyses& analyses);

// Marks the registers that copies, phis, psis and partial compares name.
std::vector<uint8_t> registers_in_webs(const Function& function, const Webs& webs,
                                       const std::vector<Affinity>& affinities);

}  // namespace psi::destruct
