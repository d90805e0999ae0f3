// Loops that go on from one side of a branch to the same branch again.
#pragma once

#include <llvm/IR/Module.h>

namespace psi::llvm_bridge {

// Where a loop begins with a branch that is foreseen, and either side ends with a test whether it goes on,
// each side gets a copy of the beginning: then most rounds jump once, and each copy is foreseen by itself.
// Returns whether there were any.
bool copy_short_headers(llvm::Function& function);

// Has it been done in any function of the module?
bool has_copied_headers(const llvm::Module& module);

}  // namespace psi::llvm_bridge
