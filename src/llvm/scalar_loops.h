// Loops that are better without vectors.
//
// Without masked stores, LLVM's vectoriser makes of a conditional store in a loop a branch for each element.
// If the condition is hard to foretell, a loop of selects is faster, which psic makes of it. A conditional
// division takes a branch for each element, too, and the divisions one after the other. So such loops are
// marked for the vectoriser to leave them alone.
#pragma once

#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/TargetTransformInfo.h>
#include <llvm/IR/Dominators.h>

namespace psi::llvm_bridge {

// Conditions that were measured are hard to foretell if they were missed often, or, where that is not known,
// both sides are taken often enough; the others are if `unpredictable`. Has a loop been marked?
bool keep_loops_scalar(llvm::LoopInfo& loops, const llvm::DominatorTree& dominators,
                       const llvm::TargetTransformInfo& machine, bool unpredictable);

}  // namespace psi::llvm_bridge
