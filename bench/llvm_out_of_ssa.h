// LLVM's way out of SSA form, to be measured beside ours.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "out_of_ssa.h"

namespace psi::bench {

// Is what LLVM does for instructions that write one of their operands part of it? The coalescer does not tell
// the copies for these from those for phis.
enum class TwoAddress : uint8_t { No, Yes };

// One for a program.
class LlvmBackEnd {
 public:
  LlvmBackEnd();

  // The bitcode becomes machine code in SSA form for the target that it names. Measured is what LLVM does by
  // default from there up to register coalescing; the shortest of `repeat` times counts. Phis and copies are
  // those of the machine code; copies of parts of registers do not count. Nothing if the bitcode cannot be
  // read or its target is not there.
  std::optional<OutOfSsa> out_of_ssa(const std::string& contents, TwoAddress two_address, int repeat) const;
};

}  // namespace psi::bench
