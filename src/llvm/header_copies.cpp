#include "llvm/header_copies.h"

#include <llvm/IR/CFG.h>
#include <llvm/IR/Instructions.h>

#include <array>
#include <iterator>
#include <vector>

#include "llvm/copy_block.h"
#include "llvm/predictability.h"

namespace psi::llvm_bridge {
namespace {

constexpr long kMostInsts = 6;            // in what is copied, its branch among them
constexpr double kForeseenHeader = 0.02;  // missed more often, there are better things to do

constexpr const char* kCopied = "psi-copied-headers";

using Sides = std::array<llvm::BasicBlock*, 2>;

// A block that is entered from the header alone and goes back to it, or leaves.
bool is_side(llvm::BasicBlock* block, llvm::BasicBlock* header) {
  auto* end = llvm::dyn_cast<llvm::BranchInst>(block->getTerminator());
  return end && end->isConditional() && end->getSuccessor(0) != end->getSuccessor(1) &&
         block->getSinglePredecessor() == header && llvm::is_contained(end->successors(), header);
}

bool is_used_in(const llvm::Use& use, llvm::BasicBlock* header, const Sides& sides) {
  const auto* user = llvm::cast<llvm::Instruction>(use.getUser());
  const auto* phi = llvm::dyn_cast<llvm::PHINode>(user);
  const llvm::BasicBlock* at = phi ? phi->getIncomingBlock(use) : user->getParent();
  return at == header || llvm::is_contained(sides, at);
}

bool is_short_header(llvm::BasicBlock& block) {
  auto* branch = llvm::dyn_cast<llvm::BranchInst>(block.getTerminator());
  if (!branch || branch->isUnconditional()) return false;
  Sides sides = {branch->getSuccessor(0), branch->getSuccessor(1)};
  if (sides[0] == sides[1] || !is_side(sides[0], &block) || !is_side(sides[1], &block)) return false;
  if (!block.hasNPredecessorsOrMore(3)) return false;  // never entered
  std::optional<double> missed = missed_share(*branch);
  if (!missed || *missed > kForeseenHeader) return false;
  if (std::distance(block.getFirstNonPHIIt(), block.end()) > kMostInsts) return false;
  return llvm::all_of(block, [&](const llvm::Instruction& inst) {
    return !inst.mayHaveSideEffects() && !llvm::isa<llvm::CallBase>(inst) &&
           llvm::all_of(inst.uses(), [&](const llvm::Use& use) { return is_used_in(use, &block, sides); });
  });
}

class HeaderCopies {
 public:
  explicit HeaderCopies(llvm::BasicBlock* header) : header_(header) {
    auto* branch = llvm::cast<llvm::BranchInst>(header->getTerminator());
    sides_ = {branch->getSuccessor(0), branch->getSuccessor(1)};
  }

  void run() {
    for (llvm::BasicBlock* side : sides_) enter_by_phis(side);
    for (llvm::BasicBlock* side : sides_) copy_for(side);
  }

 private:
  struct Entered {
    llvm::PHINode* phi;
    llvm::Instruction* value;  // of the header
  };

  // The side takes what the header computes from phis, which the copies are to be added to.
  void enter_by_phis(llvm::BasicBlock* side) {
    for (llvm::Instruction& value : *header_) {
      std::vector<llvm::Use*> uses;
      for (llvm::Use& use : value.uses()) {
        auto* user = llvm::cast<llvm::Instruction>(use.getUser());
        auto* phi = llvm::dyn_cast<llvm::PHINode>(user);
        if ((phi ? phi->getIncomingBlock(use) : user->getParent()) == side) uses.push_back(&use);
      }
      if (uses.empty()) continue;
      auto* phi = llvm::PHINode::Create(value.getType(), 3, "", side->begin());
      phi->addIncoming(&value, header_);
      for (llvm::Use* use : uses) use->set(phi);
      entered_.push_back({phi, &value});
    }
  }

  void copy_for(llvm::BasicBlock* side) {
    llvm::BasicBlock* copy =
        llvm::BasicBlock::Create(header_->getContext(), "", header_->getParent(), side->getNextNode());
    llvm::ValueToValueMapTy map;
    for (llvm::PHINode& phi : header_->phis()) {
      map[&phi] = phi.getIncomingValueForBlock(side);
      phi.removeIncomingValue(side, false);
    }
    copy_into(*header_, copy, map);
    for (const Entered& entered : entered_) entered.phi->addIncoming(map[entered.value], copy);
    side->getTerminator()->replaceSuccessorWith(header_, copy);
  }

  llvm::BasicBlock* header_;
  Sides sides_;
  std::vector<Entered> entered_;
};

}  // namespace

bool copy_short_headers(llvm::Function& function) {
  if (!has_predictability(function)) return false;
  std::vector<llvm::BasicBlock*> found;
  for (llvm::BasicBlock& block : function) {
    if (is_short_header(block)) found.push_back(&block);
  }
  for (llvm::BasicBlock* block : found) HeaderCopies(block).run();
  if (!found.empty()) function.addFnAttr(kCopied);
  return !found.empty();
}

bool has_copied_headers(const llvm::Module& module) {
  return llvm::any_of(module,
                      [](const llvm::Function& function) { return function.hasFnAttribute(kCopied); });
}

}  // namespace psi::llvm_bridge
