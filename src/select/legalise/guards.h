// Guards on instructions that do not take them on a target: what has no effect is executed always, the rest
// behind a branch.
#pragma once

#include <string>

#include "psi/ir/function.h"
#include "select/legalise/facts.h"

namespace psi::select {

struct GuardCounts {
  uint64_t speculated = 0;
  uint64_t branched = 0;     // runs of instructions
  uint64_t complements = 0;  // of guards, as predicates of their own
};

void legalise_guards(Function& function, const TargetFacts& facts, GuardCounts& counts);

}  // namespace psi::select
