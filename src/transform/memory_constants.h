// What a load from a constant gives.
#pragma once

#include <cstdint>

#include "psi/alias.h"
#include "psi/function.h"
#include "psi/module.h"

namespace psi::transform {

// A literal or symbol of the type, if the address is a place inside a global that is never written and whose
// contents are known; none otherwise.
Operand constant_at(const Module& module, Function& function, const Address& address, Type type);

}  // namespace psi::transform
