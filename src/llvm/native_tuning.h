// What LLVM's IR needs around psic's passes for the code generator to make the most of it.
#pragma once

#include <llvm/Analysis/TargetTransformInfo.h>
#include <llvm/IR/Function.h>

namespace psi::llvm_bridge {

// Before psic's passes: what was measured to be foreseen becomes branches again, for if-conversion to decide;
// the vectoriser's code gets what it lacks. Returns whether anything has changed.
bool tune_before(llvm::Function& function, const llvm::TargetTransformInfo& machine);

// After them: forms that the code generator is good at. Returns whether anything has changed.
bool tune_after(llvm::Function& function);

}  // namespace psi::llvm_bridge
