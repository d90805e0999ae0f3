// Forms of arithmetic that LLVM's code generator for x86-64 makes better code of.
#pragma once

#include <llvm/IR/Function.h>

namespace psi::llvm_bridge {

// A sum of three is one `lea`, unless it is tuned for processors of which that is slow, some ten years old;
// functions that are not tuned for any have it now. A bit that is set in a copy of a value is a sum, and a
// `lea`, too. Returns whether anything has changed.
bool prefer_lea(llvm::Function& function);

// Minima and maxima are selects, and branches if the code generator likes that better: as selects they can
// be marked. Returns whether there were any.
bool spell_out_extremes(llvm::Function& function);

}  // namespace psi::llvm_bridge
