// Lists of passes for fuzzing.
#pragma once

#include <cstdint>

#include "psi/pass.h"

namespace psi::fuzzing {

// Into SSA form, passes that stay in it in any order and with any options, and out again; now and then
// without guards. Orderings that the table asks for are kept.
PassList random_passes(const PassTable& table, uint64_t seed);

// The list as it is written.
std::string text_of(const PassList& passes);

}  // namespace psi::fuzzing
