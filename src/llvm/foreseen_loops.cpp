#include "llvm/foreseen_loops.h"

#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/CFG.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/Instructions.h>
#include <llvm/Transforms/Utils/LoopUtils.h>

#include "llvm/predictability.h"

namespace psi::llvm_bridge {
namespace {

constexpr double kForeseenEnd = 0.01;
// LLVM takes no more rounds out of a loop than these, and counts those that it took.
constexpr unsigned kMostPeeled = 7;

// One that leaves it, as far as it was measured.
bool has_surprising_end(const llvm::Loop& loop) {
  llvm::SmallVector<llvm::BasicBlock*, 4> leaving;
  loop.getExitingBlocks(leaving);
  return llvm::any_of(leaving, [](const llvm::BasicBlock* block) {
    return missed_share(*block->getTerminator()).value_or(0) > kForeseenEnd;
  });
}

}  // namespace

bool keep_loops_whole(llvm::Function& function) {
  llvm::DominatorTree dominators(function);
  llvm::LoopInfo loops(dominators);
  bool is_changed = false;
  for (llvm::Loop* loop : loops.getLoopsInPreorder()) {
    if (!has_surprising_end(*loop)) continue;
    llvm::addStringMetadataToLoop(loop, "llvm.loop.peeled.count", kMostPeeled);
    is_changed = true;
  }
  return is_changed;
}

}  // namespace psi::llvm_bridge
