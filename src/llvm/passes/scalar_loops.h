// Excludes loops from vectorisation.
//
// Without masked stores, LLVM's vectoriser makes a branch for each element of a conditional store in a loop.
// If the condition is unpredictable, the loop of selects that psic makes is faster. A conditional division
// takes a branch for each element, too, and the divisions one after the other. The vectoriser is told to
// leave such loops alone.
//
// On LLVM IR because it decides for a pass of LLVM's that runs before psic, by what that pass would make.
#pragma once

#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/TargetTransformInfo.h>
#include <llvm/IR/Dominators.h>

namespace psi::llvm_bridge {

// Conditions that were measured are unpredictable if they were mispredicted often, or, where that is not
// known, both sides are taken often enough; the others are if `unpredictable`. Has a loop been marked?
bool keep_loops_scalar(llvm::LoopInfo& loops, const llvm::DominatorTree& dominators,
                       const llvm::TargetTransformInfo& costs, bool unpredictable);

}  // namespace psi::llvm_bridge
