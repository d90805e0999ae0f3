// psic's ways out of SSA form, measured one at a time.
#pragma once

#include <optional>

#include "out_of_ssa.h"
#include "psi/destruct/destruct.h"
#include "psi/ir/module.h"

namespace psi::bench {

// Of all functions with a body, by `destruct` with all analyses that it needs; the shortest of `repeat` times
// counts. What is left is counted here and not taken from the pass: nothing if the two disagree.
std::optional<OutOfSsa> psic_out_of_ssa(const Module& module, PhiMethod method, int repeat);

}  // namespace psi::bench
