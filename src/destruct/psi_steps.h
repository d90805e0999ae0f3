// The first two steps out of psi-SSA form. Both stay in SSA form, and leave no valid uses or liveness behind
// where they insert something.
#pragma once

#include <vector>

#include "psi/analysis/dominators.h"
#include "psi/destruct/destruct.h"
#include "psi/ir/function.h"
#include "psi/pass/analyses.h"
#include "psi/pass/counters.h"

namespace psi::destruct {

// In reachable blocks.
bool has_psis(const Function& function, const Dominators& dominators);

// Afterwards psis have no literals for arguments, and are normalized (psi_normalize.cpp).
void normalize_psis(Function& function, Analyses& analyses, const DestructOptions& options,
                    Counters& counters);

// Of normalized psis. By Reg, the representative of its web: registers that psis join are in one web, and may
// become one register.
std::vector<Reg> make_psi_webs(Function& function, Analyses& analyses, const DestructOptions& options,
                               Counters& counters);

}  // namespace psi::destruct
