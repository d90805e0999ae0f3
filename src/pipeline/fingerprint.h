// Whether a pass has changed a function.
#pragma once

#include <cstdint>

#include "psi/function.h"

namespace psi {

// A number made of all that the function's text says, names and profile aside. Linear.
uint64_t fingerprint(const Function& function);

}  // namespace psi
