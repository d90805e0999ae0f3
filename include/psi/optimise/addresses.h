// Addresses in the forms that a target has.
#pragma once

#include "psi/pass/pass.h"
#include "psi/target/target.h"

namespace psi {

// SSA form. Computes each address in as few steps as the target allows: base + index * scale + offset.
// Address instructions are rewritten in place, so their number never grows.
void addresses(Function& function, Analyses& analyses, const Target& target, Counters& counters,
               Remarks* remarks = nullptr);
void addresses(PassContext& context);

}  // namespace psi
