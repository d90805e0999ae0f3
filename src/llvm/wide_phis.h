// Numbers in loops that are used as addresses.
#pragma once

#include <llvm/IR/Function.h>

namespace psi::llvm_bridge {

// A number that a round of a loop loads, for the next to use it as an index: machines extend it as they load
// it, but not if only the next round does so. So its phi becomes as wide as the index is. Returns whether
// there were any.
bool widen_loaded_phis(llvm::Function& function);

}  // namespace psi::llvm_bridge
