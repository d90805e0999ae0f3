// Loads from constant globals.
#pragma once

#include <cstdint>

#include "psi/analysis/alias.h"
#include "psi/ir/function.h"
#include "psi/ir/module.h"

namespace psi::optimise {

// A literal or symbol of the type, if the address is a place inside a global that is never written and whose
// contents are known; none otherwise.
Operand constant_at(const Module& module, Function& function, const Address& address, Type type);

}  // namespace psi::optimise
