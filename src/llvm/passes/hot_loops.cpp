#include "llvm/passes/hot_loops.h"

#include <llvm/Analysis/BlockFrequencyInfo.h>
#include <llvm/Analysis/BranchProbabilityInfo.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/CFG.h>
#include <llvm/IR/Dominators.h>
#include <llvm/Transforms/Utils/LoopUtils.h>

namespace psi::llvm_bridge {
namespace {

constexpr unsigned kLine = 64;          // bytes; the line size of all known targets
constexpr double kFewIterations = 2.0;  // iterations per entry of the loop

double iterations(const llvm::Loop& loop, const llvm::BlockFrequencyInfo& frequencies,
                  const llvm::BranchProbabilityInfo& probabilities) {
  const llvm::BasicBlock* header = loop.getHeader();
  double entered = 0;
  for (const llvm::BasicBlock* from : llvm::predecessors(header)) {
    if (loop.contains(from)) continue;
    llvm::BlockFrequency edge =
        frequencies.getBlockFreq(from) * probabilities.getEdgeProbability(from, header);
    entered += static_cast<double>(edge.getFrequency());
  }
  return entered > 0 ? static_cast<double>(frequencies.getBlockFreq(header).getFrequency()) / entered : 0;
}

}  // namespace

bool align_hot_loops(llvm::Function& function) {
  auto entries = function.getEntryCount();
  if (!entries || entries->getCount() == 0) return false;
  llvm::DominatorTree dominators(function);
  llvm::LoopInfo loops(dominators);
  if (loops.empty()) return false;
  llvm::BranchProbabilityInfo probabilities(function, loops);
  llvm::BlockFrequencyInfo frequencies(function, probabilities, loops);
  bool is_changed = false;
  for (llvm::Loop* loop : loops.getLoopsInPreorder()) {
    auto count = frequencies.getBlockProfileCount(loop->getHeader());
    if (!count || *count == 0) continue;
    if (iterations(*loop, frequencies, probabilities) < kFewIterations) continue;
    llvm::addStringMetadataToLoop(loop, "llvm.loop.align", kLine);
    is_changed = true;
  }
  return is_changed;
}

}  // namespace psi::llvm_bridge
