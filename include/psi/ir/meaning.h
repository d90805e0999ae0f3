// A function without machine instructions: each is replaced by what it means. The interpreter executes this,
// and analyses of values look at it, so that no other code needs to know what a machine instruction does.
#pragma once

#include <vector>

#include "psi/ir/function.h"

namespace psi {

struct Expanded {
  Function function;
  // By instruction of `function`: the instruction of the original that it belongs to.
  std::vector<InstId> origins;
};

// Registers and blocks keep their ids; registers that meanings use inside are added. The function must be
// accepted by the verifier.
Expanded expand_meanings(const Function& function);

}  // namespace psi
