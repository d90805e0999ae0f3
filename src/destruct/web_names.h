// Names of the registers that webs become.
#pragma once

#include "destruct/webs.h"
#include "psi/function.h"

namespace psi::destruction {

// Gives each representative the name of its web: construction makes %x.1 and %x.2 of %x, so a web of these
// is %x again, if no other is.
void name_webs(Function& function, const Webs& webs);

// Registers that are in use get the first numbers, if many others lie between them: text that is read keeps
// numbers only if they are in proportion.
void close_gaps(Function& function);

}  // namespace psi::destruction
