// Simplification of predicates, compares and guards.
#pragma once

#include "psi/pass/pass.h"

namespace psi {

// SSA form. A predicate that another one decides is replaced by that one, its complement or a literal; guards
// and branches whose outcome is known go. See docs/optimisations.md.
void simplify_predicates(Function& function, Analyses& analyses, Counters& counters,
                         Remarks* remarks = nullptr);
void simplify_predicates(PassContext& context);

}  // namespace psi
