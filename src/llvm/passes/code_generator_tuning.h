// Preparation of LLVM IR around psic's passes, for the code generator.
#pragma once

#include <llvm/Analysis/TargetTransformInfo.h>
#include <llvm/IR/Function.h>

namespace psi::llvm_bridge {

// Before psic's passes: the vectoriser's code gets what it lacks. Returns whether anything has changed.
bool tune_before(llvm::Function& function, const llvm::TargetTransformInfo& costs);

// After them: forms that the code generator compiles well. Returns whether anything has changed.
bool tune_after(llvm::Function& function);

}  // namespace psi::llvm_bridge
