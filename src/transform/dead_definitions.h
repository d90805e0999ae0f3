// Takes out definitions that a pass has made superfluous, and what was computed for them alone.
#pragma once

#include <cstdint>
#include <vector>

#include "psi/analyses.h"
#include "psi/function.h"

namespace psi::transform {

// Of the registers, removes the definitions that are pure and whose results nothing reads any more, then
// those that were read by nothing else, and so on; phis that keep each other alive stay. How many went. SSA
// form; uses must be fresh, and are dropped where something went. Linear.
uint64_t remove_dead_definitions(Function& function, Analyses& analyses, std::vector<Reg> candidates);

}  // namespace psi::transform
