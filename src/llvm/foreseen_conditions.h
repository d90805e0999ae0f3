// Branches on two conditions that processors would foresee each: as two branches.
#pragma once

#include <llvm/IR/Function.h>

namespace psi::llvm_bridge {

// LLVM joins the conditions of branches that lead to one place, which saves a branch and costs the
// instructions that compute both and join them. Where it was measured that they are foreseen, they are parted
// again within loops, so that the second is computed only if the first does not decide. Returns whether there
// were any.
bool part_foreseen_conditions(llvm::Function& function);

}  // namespace psi::llvm_bridge
