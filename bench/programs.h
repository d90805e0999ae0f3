// Programs to measure on.
#pragma once

#include <cstdint>
#include <string>

#include "psi/ir/module.h"

namespace psi::bench {

// A generated module of about this many instructions in one function, without names.
Module one_function(uint64_t insts);

// The same without external calls, and with a function `$again(%n: i64)` that calls `$main` n times.
Module one_function_again(uint64_t insts);

// The same SSA program as psic's text and as LLVM's: a chain of diamonds with arithmetic, comparisons, memory
// accesses and phis, instruction for instruction.
struct Twins {
  std::string psi;
  std::string llvm;
  uint64_t insts = 0;
};
Twins twins(uint64_t insts);

// Lets freed memory stay with the process: otherwise page faults would make up a part of the figures that
// depends on what ran before.
void keep_memory();

}  // namespace psi::bench
