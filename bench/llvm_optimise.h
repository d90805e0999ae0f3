// LLVM's scalar passes, as the peer of psic's pipelines.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace psi::bench {

// By the name of the opcode.
using OpcodeCounts = std::map<std::string, uint64_t>;

struct Optimised {
  uint64_t instructions = 0;
  OpcodeCounts opcodes;
  double seconds = 0;
};

// Runs a list of passes, as `opt` reads it, over LLVM IR. Functions whose names are in `without` (sorted) are
// not counted; the time is that of all. Ends the program if the list or the IR cannot be read.
Optimised llvm_optimise(const std::string& contents, std::string_view passes,
                        const std::vector<std::string>& without, int repeat);

}  // namespace psi::bench
