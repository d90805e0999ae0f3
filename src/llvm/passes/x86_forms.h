// Forms of arithmetic that LLVM's code generator for x86-64 compiles well.
//
// On LLVM IR because they choose instructions: psic IR has one way to write a sum, and export writes minima
// and maxima as LLVM's intrinsics whatever they were before.
#pragma once

#include <llvm/IR/Function.h>

namespace psi::llvm_bridge {

// A sum of three operands becomes one `lea`, except in functions tuned for old processors with a slow `lea`.
// A bit set in a copy of a value becomes a sum, and a `lea`, too. Returns whether anything has changed.
bool prefer_lea(llvm::Function& function);

// Expands minima and maxima to selects, which can be marked, so that the code generator does not turn them
// into branches. Returns whether there were any.
bool expand_minima_and_maxima(llvm::Function& function);

}  // namespace psi::llvm_bridge
