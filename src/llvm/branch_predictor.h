// What a program that measures carries to find out how well its branches can be foreseen: a branch predictor,
// as a function of its own.
#pragma once

#include <llvm/IR/Module.h>

namespace psi::llvm_bridge {

// i64 (ptr state, i32 number, i1 outcome, i1 is_branch): one if the predictor did not foresee the outcome, or
// zero. The number tells branches apart; the state, kStateWords times i16, is the branch's own and zero at
// first. What is no branch, but could be one, has no part in what is known of the past.
llvm::Function* branch_predictor(llvm::Module& module);

constexpr unsigned kStateWords = 3;

}  // namespace psi::llvm_bridge
