// Shifts by one or by nothing, as a condition says.
#pragma once

#include <llvm/Analysis/TargetTransformInfo.h>
#include <llvm/IR/Function.h>

namespace psi::llvm_bridge {

// LLVM's form of `if (c) x >>= 1` is a shift by c. Machines that can shift the elements of a vector only by
// the same number of bits are faster with a shift by one and a select. Returns whether there were any.
bool select_conditional_shifts(llvm::Function& function, const llvm::TargetTransformInfo& machine);

}  // namespace psi::llvm_bridge
