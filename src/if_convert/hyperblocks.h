// Regions that may be left from anywhere.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "if_convert/legality.h"
#include "if_convert/region_graph.h"

namespace psi::if_conversion {

// Cuts the blocks into regions: a block is in that of its predecessors if they are all in one, control comes
// to it forward only, and nothing in it has to keep its branch. `min_share`: and if it is executed at least
// so often for each execution of the region's entry, or a failed check, which costs nothing. Those without a
// branch, or of one block, are left out, and so are blocks that are taken already. Linear.
std::vector<Region> hyperblocks(const Function& function, Analyses& analyses, const Legality& legality,
                                double min_share, std::span<const uint32_t> is_taken = {});

}  // namespace psi::if_conversion
