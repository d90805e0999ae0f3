// What does not depend on how values are held, and is simpler before: switches, addresses with a scale,
// memory operations, compares to predicates, the ends of variadic lists.
#pragma once

#include <string>

#include "psi/ir/module.h"
#include "psi/pass/remarks.h"
#include "select/legalise/facts.h"

namespace psi::select {

struct UntypedCounts {
  uint64_t switches = 0;
  uint64_t cmpps = 0;
  uint64_t addresses = 0;
  uint64_t memory = 0;  // memory operations as calls, or accesses
};

std::string lower_untyped(const Module& module, Function& function, const TargetFacts& facts,
                          UntypedCounts& counts, Remarks* remarks, InstId& culprit);
// Switches become trees of compares. Near-linear.
void lower_switches(Function& function, uint64_t& count);

}  // namespace psi::select
