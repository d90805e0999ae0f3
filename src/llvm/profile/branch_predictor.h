// The branch predictor that an instrumented program carries, to measure how well its branches are predicted:
// a function of its own.
#pragma once

#include <llvm/IR/Module.h>

namespace psi::llvm_bridge {

// i64 (ptr state, i32 number, i1 outcome, i1 is_branch): one for a misprediction, or zero. The number
// identifies the branch; the state, kStateWords times i16, is the branch's own and initially zero. Selects,
// which could be branches, do not enter the history.
llvm::Function* branch_predictor(llvm::Module& module);

constexpr unsigned kStateWords = 3;

}  // namespace psi::llvm_bridge
