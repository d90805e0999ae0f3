#include "llvm/wide_phis.h"

#include <llvm/ADT/DenseMap.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Instructions.h>

#include <vector>

namespace psi::llvm_bridge {
namespace {

// The one extension of the phi, in its block; null if there is none, or more.
llvm::ZExtInst* extension(llvm::PHINode& phi) {
  llvm::ZExtInst* found = nullptr;
  for (llvm::User* user : phi.users()) {
    auto* extended = llvm::dyn_cast<llvm::ZExtInst>(user);
    if (!extended) continue;
    if (found || extended->getParent() != phi.getParent()) return nullptr;
    found = extended;
  }
  return found;
}

// Its value is loaded right before, on all ways but for one at most, from before a loop.
bool is_loaded(const llvm::PHINode& phi) {
  size_t loaded = 0;
  for (unsigned i = 0; i < phi.getNumIncomingValues(); ++i) {
    const auto* inst = llvm::dyn_cast<llvm::Instruction>(phi.getIncomingValue(i));
    loaded += inst && llvm::isa<llvm::LoadInst>(inst) && inst->getParent() == phi.getIncomingBlock(i);
    if (inst && inst->isTerminator()) return false;  // known only behind it
  }
  return loaded > 0 && loaded + 1 >= phi.getNumIncomingValues();
}

// Casts at the ends of blocks: where a block leads to another by several edges, their phis must agree.
class EndCasts {
 public:
  llvm::Value* get(llvm::BasicBlock* block, llvm::Value* value, llvm::Type* type) {
    llvm::Value*& cast = casts_[block];
    if (!cast) cast = llvm::IRBuilder<>(block->getTerminator()).CreateZExtOrTrunc(value, type);
    return cast;
  }

 private:
  llvm::DenseMap<llvm::BasicBlock*, llvm::Value*> casts_;
};

void widen(llvm::PHINode& phi, llvm::ZExtInst& extension) {
  llvm::PHINode* wide = llvm::IRBuilder<>(&phi).CreatePHI(extension.getType(), phi.getNumIncomingValues());
  EndCasts extended, cut;
  for (unsigned i = 0; i < phi.getNumIncomingValues(); ++i) {
    llvm::BasicBlock* from = phi.getIncomingBlock(i);
    wide->addIncoming(extended.get(from, phi.getIncomingValue(i), wide->getType()), from);
  }
  extension.replaceAllUsesWith(wide);
  extension.eraseFromParent();
  // Where it is needed narrow, the wide one will do, of which the upper half does not matter there.
  for (llvm::Use& use : llvm::make_early_inc_range(phi.uses())) {
    auto* user = llvm::cast<llvm::Instruction>(use.getUser());
    auto* join = llvm::dyn_cast<llvm::PHINode>(user);
    use.set(join ? cut.get(join->getIncomingBlock(use), wide, phi.getType())
                 : llvm::IRBuilder<>(user).CreateTrunc(wide, phi.getType()));
  }
  phi.eraseFromParent();
}

}  // namespace

bool widen_loaded_phis(llvm::Function& function) {
  std::vector<llvm::PHINode*> found;
  for (llvm::BasicBlock& block : function) {
    for (llvm::PHINode& phi : block.phis()) {
      if (phi.getType()->isIntegerTy(32) && extension(phi) && is_loaded(phi)) found.push_back(&phi);
    }
  }
  for (llvm::PHINode* phi : found) widen(*phi, *extension(*phi));
  return !found.empty();
}

}  // namespace psi::llvm_bridge
