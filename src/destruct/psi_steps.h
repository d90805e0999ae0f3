// The first two steps out of psi-SSA form. Both stay in SSA form, and leave no valid uses or liveness behind
// where they insert something.
#pragma once

#include <vector>

#include "psi/analyses.h"
#include "psi/counters.h"
#include "psi/destruct.h"
#include "psi/function.h"

namespace psi::destruction {

// In reachable blocks.
bool has_psis(const Function& function, const Dominators& dominators);

// Afterwards psis have no literals for arguments, and are normalized (psi_normalize.cpp).
void normalize_psis(Function& function, Analyses& analyses, const DestructOptions& options,
                    Counters& counters);

// Of normalized psis. By Reg, the one that stands for its web: registers that psis join are in one web, and
// may become one register.
std::vector<Reg> make_psi_webs(Function& function, Analyses& analyses, const DestructOptions& options,
                               Counters& counters);

}  // namespace psi::destruction
