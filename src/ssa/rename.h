#pragma once

#include "ssa/phi_sites.h"

namespace psi::ssa {

// Inserts the phis and gives every definition its own name, by a walk over the dominator tree.
void rename(Function& function, Analyses& analyses, const ConstructOptions& options,
            const Variables& variables, const PhiSites& sites, const ArgumentSlots& slots,
            std::pmr::memory_resource& memory, Counters& counters);

// Phis and names together, on the fly. Gives up, and leaves the function unchanged, where it would make far
// more temporary phis than the function has instructions.
[[nodiscard]] bool construct_on_the_fly(Function& function, Analyses& analyses,
                                        const ConstructOptions& options, Counters& counters);

}  // namespace psi::ssa
