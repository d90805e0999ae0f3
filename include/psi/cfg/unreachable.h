// Transformations of a function that need no predicate analysis.
#pragma once

#include "psi/pass/pass.h"

namespace psi {

// Removes the blocks that no path from the entry reaches. The analyses are no longer valid if there were any.
void dce_unreachable(Function& function, Analyses& analyses, Counters& counters);
void dce_unreachable(PassContext& context);

// Removes the names of registers and blocks, which are then written as numbers.
void strip_names(PassContext& context);

}  // namespace psi
