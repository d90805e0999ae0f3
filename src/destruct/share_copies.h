// One copy in the place of several.
#pragma once

#include "destruct/copies.h"
#include "destruct/web_interference.h"
#include "destruct/webs.h"
#include "psi/analyses.h"

namespace psi::destruction {

//     @a: x = y                     @a: x = y
//         br p, @join, @b     ==>       br p, @join, @b
//     @b: x = y                     @b: br @join
//         br @join
//
// Once it is known what becomes one register, a copy is not needed where an earlier one of the same value to
// the same register is still good; and where several have no such, one above all of them may be executed less
// often. Copies that are not needed become copies of a register to itself.
void share_copies(Function& function, Analyses& analyses, WebInterference& interference, const Webs& webs,
                  Copies& copies);

}  // namespace psi::destruction
