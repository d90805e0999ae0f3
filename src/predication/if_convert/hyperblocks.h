// Regions with any number of exits.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "predication/if_convert/legality.h"
#include "predication/if_convert/region_graph.h"

namespace psi::predication {

// Splits the blocks into regions: a block is in the region of its predecessors if they are all in one, it is
// not the target of a back edge, and it has no obstacle. `min_probability`: and if its probability given the
// region's entry is at least this, or it is a failed check, which is free. Regions without a branch, or of
// one block, are left out, and so are blocks of other regions. Linear.
std::vector<Region> hyperblocks(const Function& function, Analyses& analyses, const Legality& legality,
                                double min_probability, std::span<const uint32_t> is_taken = {});

}  // namespace psi::predication
