// Lists of passes for fuzzing.
#pragma once

#include <cstdint>

#include "psi/pipeline/pass_table.h"

namespace psi::testing {

// Into SSA form, passes on SSA form in any order and with any options, and out again; sometimes without
// guards. Respects the orderings of the table.
// Targets have pointers of this width.
PassList random_passes(const PassTable& table, const TargetTable& targets, unsigned pointer_bits,
                       uint64_t seed);

// The list as it is written.
std::string text_of(const PassList& passes);

}  // namespace psi::testing
