// The probability of conditional stores, kept through the vectoriser.
//
// Without masked stores, LLVM's vectoriser makes a branch for each element of a conditional store in a loop
// and drops the probability, so that the code generator takes both edges for equally likely. So the stores
// carry it.
//
// On LLVM IR because it passes a figure through a pass of LLVM's, and because psic IR has no vectors.
#pragma once

#include <llvm/Analysis/BlockFrequencyInfo.h>
#include <llvm/Analysis/LoopInfo.h>

namespace psi::llvm_bridge {

// Before loops are vectorised: of stores in them that not every iteration does.
void note_conditional_stores(llvm::LoopInfo& loops, llvm::BlockFrequencyInfo& frequencies);

// After it: adds weights to branches around such stores. Returns whether there were any.
bool weigh_conditional_stores(llvm::Function& function);

}  // namespace psi::llvm_bridge
