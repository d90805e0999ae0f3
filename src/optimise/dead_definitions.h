// Removes definitions that a pass has made dead, and those that only they read.
#pragma once

#include <cstdint>
#include <vector>

#include "psi/ir/function.h"
#include "psi/pass/analyses.h"

namespace psi::optimise {

// Removes the pure, unread definitions of these registers, then definitions that only they read, and so on;
// phis that keep each other alive stay. Returns the number removed. SSA form; uses must be current, and are
// dropped if something was removed. Linear.
uint64_t remove_dead_definitions(Function& function, Analyses& analyses, std::vector<Reg> candidates);

}  // namespace psi::optimise
