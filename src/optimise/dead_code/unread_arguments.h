// Drops psi arguments that are never taken where the psi is read.
//
//     %x = psi %a, %p ? %b, !%p ? %c         %x = psi %p ? %b, !%p ? %c ... of which, as all reads of %x
//     %p ? store.i32 %x, $out          ==>   are under %p, only %p ? %b is left
#pragma once

#include <cstdint>

#include "psi/ir/function.h"
#include "psi/pass/analyses.h"

namespace psi::optimise {

// Returns how many it dropped. Uses are then out of date; the graph of blocks is not touched. Near-linear.
uint64_t drop_unread_arguments(Function& function, Analyses& analyses);

}  // namespace psi::optimise
