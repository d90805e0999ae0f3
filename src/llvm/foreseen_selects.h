// Selects that processors would foresee, in loops: as branches again, for if-conversion to decide.
#pragma once

#include <llvm/IR/Function.h>

namespace psi::llvm_bridge {

// A select makes what follows wait for its condition; a branch that is foreseen does not. Where it was
// measured that it is, selects of innermost loops become branches if their condition in a later round depends
// on them, or if that saves more instructions than it costs. Returns whether there were any.
bool branch_on_foreseen(llvm::Function& function);

}  // namespace psi::llvm_bridge
