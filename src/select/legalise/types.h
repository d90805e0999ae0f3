// Values of types that a target's registers do not hold: two halves, or a wider integer. Types stay as they
// are where values cross the boundary of the function (psi/select/boundary.h).
#pragma once

#include <string>

#include "psi/analysis/dominators.h"
#include "psi/ir/module.h"
#include "psi/pass/remarks.h"
#include "select/legalise/facts.h"

namespace psi::select {

struct TypeCounts {
  uint64_t split = 0;     // values as halves
  uint64_t promoted = 0;  // in wider registers
  uint64_t calls = 0;     // of routines
};

// Any generic code without switches, memory operations and partial cmpps on types that are not held. Empty,
// or why it cannot be done, with the instruction in `culprit`.
std::string legalise_types(const Module& module, Function& function, const Dominators& dominators,
                           const TargetFacts& facts, TypeCounts& counts, Remarks* remarks, InstId& culprit);

}  // namespace psi::select
