#include "llvm/passes/prevent_peeling.h"

#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/CFG.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/Instructions.h>
#include <llvm/Transforms/Utils/LoopUtils.h>

#include "llvm/profile/predictability.h"

namespace psi::llvm_bridge {
namespace {

constexpr double kPredictableEnd = 0.01;
// LLVM peels no more iterations than these, and counts those that it peeled.
constexpr unsigned kMostPeeled = 7;

// Does it have an exit branch measured to be unpredictable?
bool ends_unpredictably(const llvm::Loop& loop) {
  llvm::SmallVector<llvm::BasicBlock*, 4> leaving;
  loop.getExitingBlocks(leaving);
  return llvm::any_of(leaving, [](const llvm::BasicBlock* block) {
    return misprediction_rate(*block->getTerminator()).value_or(0) > kPredictableEnd;
  });
}

}  // namespace

bool prevent_peeling(llvm::Function& function) {
  llvm::DominatorTree dominators(function);
  llvm::LoopInfo loops(dominators);
  bool is_changed = false;
  for (llvm::Loop* loop : loops.getLoopsInPreorder()) {
    if (!ends_unpredictably(*loop)) continue;
    llvm::addStringMetadataToLoop(loop, "llvm.loop.peeled.count", kMostPeeled);
    is_changed = true;
  }
  return is_changed;
}

}  // namespace psi::llvm_bridge
