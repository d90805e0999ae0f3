// Conditional shifts by one.
//
// On LLVM IR because psic IR has no vectors.
#pragma once

#include <llvm/Analysis/TargetTransformInfo.h>
#include <llvm/IR/Function.h>

namespace psi::llvm_bridge {

// LLVM's form of `if (c) x >>= 1` is a shift by c. Targets that shift all elements of a vector by the same
// number of bits only are faster with a shift by one and a select. Returns whether there were any.
bool select_conditional_shifts(llvm::Function& function, const llvm::TargetTransformInfo& costs);

}  // namespace psi::llvm_bridge
