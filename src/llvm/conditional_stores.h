// How often stores in vectorised loops are done that were conditional.
//
// Without masked stores, LLVM's vectoriser makes of a conditional store in a loop a branch for each element,
// of which it forgets how often it is taken. The code generator then takes both ways for as likely. So the
// stores carry what the profile says of them through the vectoriser.
#pragma once

#include <llvm/Analysis/BlockFrequencyInfo.h>
#include <llvm/Analysis/LoopInfo.h>

namespace psi::llvm_bridge {

// Before loops are vectorised: of stores in them that not every round does.
void note_conditional_stores(llvm::LoopInfo& loops, llvm::BlockFrequencyInfo& frequencies);

// After that: branches around such stores that have no weights get them. Returns whether there were any.
bool weigh_conditional_stores(llvm::Function& function);

}  // namespace psi::llvm_bridge
