// Detects whether a pass has changed a function.
#pragma once

#include <cstdint>

#include "psi/ir/function.h"

namespace psi {

struct Fingerprint {
  uint64_t text = 0;  // a hash of the function's text, names and profile aside
  uint32_t size = 0;  // instructions in blocks
  // Ids run below these.
  uint32_t regs = 0, insts = 0, blocks = 0;

  bool operator==(const Fingerprint&) const = default;
};

// Linear.
Fingerprint fingerprint(const Function& function);

// A hash of all that analyses of control flow see: the blocks in their order, where their terminators lead,
// which of these have guards, and how often they were executed. Linear in blocks and terminators.
uint64_t control_flow_fingerprint(const Function& function);

}  // namespace psi
