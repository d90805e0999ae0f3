// Detects whether a pass has changed a function, and what it has left as it was.
#pragma once

#include <cstdint>

#include "psi/ir/function.h"
#include "psi/pass/analyses.h"

namespace psi {

struct Fingerprint {
  // Hashes.
  uint64_t text = 0;  // of all but names and profile
  // Of all that analyses of control flow see: the blocks in their order, where their terminators lead, which
  // of these have guards, and how often they were executed.
  uint64_t control_flow = 0;
  uint64_t predicates = 0;  // of all that predicates and guards mean

  uint32_t size = 0;  // instructions in blocks
  // Ids run below these.
  uint32_t regs = 0, insts = 0, blocks = 0;
  bool has_guards = false;  // or psis, or cmpps

  bool operator==(const Fingerprint&) const = default;
};

// Linear.
Fingerprint fingerprint(const Function& function);
// What is the same in both.
Keeps kept(const Fingerprint& before, const Fingerprint& after);

}  // namespace psi
