// Shares one copy among several.
#pragma once

#include "destruct/copies.h"
#include "live/web_interference.h"
#include "psi/live/webs.h"
#include "psi/pass/analyses.h"

namespace psi::destruct {

//     @a: x = y                     @a: x = y
//         br p, @join, @b     ==>       br p, @join, @b
//     @b: x = y                     @b: br @join
//         br @join
//
// Once webs are final, a copy is redundant where an earlier one of the same value to the same register is
// still valid; otherwise a single copy above several may be executed less often. Redundant copies become
// copies of a register to itself.
void share_copies(Function& function, Analyses& analyses, live::WebInterference& interference,
                  const Webs& webs, Copies& copies);

}  // namespace psi::destruct
