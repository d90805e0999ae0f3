// A region with its branches, as one block in psi-SSA, and as one in predicated SSA, side by side.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "psi/predication/predicated_ssa.h"

namespace psi {

// A region in one representation.
struct Representation {
  std::string name;
  BlockStatistics statistics;
  uint32_t paths = 0;
  uint64_t destructed = 0;  // instructions of the function once it is out of SSA form
};
struct RegionComparison {
  BlockId entry;
  size_t num_blocks = 0;
  std::vector<Representation> representations;  // branches, psi-SSA, predicated SSA
};

// The acyclic regions of several blocks of a function in SSA form, or only that of one block.
std::vector<RegionComparison> compare_representations(const Function& function,
                                                      const PredicatedSsaOptions& options, BlockId only = {});

}  // namespace psi
