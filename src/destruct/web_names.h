// Names of the registers that webs become.
#pragma once

#include "psi/ir/function.h"
#include "psi/live/webs.h"

namespace psi::destruct {

// Gives each representative the name of its web: construction makes %x.1 and %x.2 of %x, so a web of these
// is %x again, if no other is.
void name_webs(Function& function, const Webs& webs);

// Renumbers the used registers if many unused ones are between them: the parser keeps numbers only if they
// are not far too large.
void close_gaps(Function& function);

}  // namespace psi::destruct
