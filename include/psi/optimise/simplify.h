// Algebraic simplification.
#pragma once

#include "psi/pass/pass.h"

namespace psi {

// Replaces instructions by simpler ones until no rule applies. SSA form.
void simplify(PassContext& context);

}  // namespace psi
