// Dead store elimination.
#pragma once

#include "psi/pass/pass.h"

namespace psi {

void dse(PassContext& context);

}  // namespace psi
