// Branches in the place of selects.
#pragma once

#include <llvm/IR/Instructions.h>

namespace psi::llvm_bridge {

// Makes a branch, that is mispredicted as often, of the select and of those in its block that choose by the
// same condition. What only one side needs is computed there alone; loads from an address that the branch
// chooses are done on both sides, and so is what follows if it is short.
void make_branch(llvm::SelectInst& select, double missed);

// How many instructions an execution does not need if the select becomes a branch.
double saved_by_branch(const llvm::SelectInst& select, double true_share);

}  // namespace psi::llvm_bridge
