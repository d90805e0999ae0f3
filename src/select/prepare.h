// What selection expects of a function, made of what any function has: branches as guarded jumps, comparisons
// that the target has, addresses as sums.
#pragma once

#include "select/patterns.h"

namespace psi::select {

void prepare(Function& function, const SelectionPatterns::Tables& tables);

}  // namespace psi::select
