#include "llvm/select_branches.h"

#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/CFG.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>

#include <algorithm>
#include <array>
#include <vector>

#include "llvm/copy_block.h"
#include "llvm/predictability.h"
#include "llvm/sinking.h"

namespace psi::llvm_bridge {
namespace {

bool writes_or_stops(const llvm::Instruction& inst) {
  return inst.mayWriteToMemory() || !llvm::isGuaranteedToTransferExecutionToSuccessor(&inst);
}

// Machines compute it together with what uses it.
bool is_free(const llvm::Instruction& inst) {
  return llvm::isa<llvm::CastInst, llvm::GetElementPtrInst, llvm::FreezeInst>(inst);
}

// The block of the select in two, with a side between them for each value of the condition.
class Diamond {
 public:
  Diamond(llvm::SelectInst& select, double missed) : condition_(select.getCondition()) {
    head_ = select.getParent();
    llvm::Instruction* at = &*llvm::find_if(*head_, [&](llvm::Instruction& inst) { return chooses(inst); });
    llvm::IRBuilder<> builder(at);
    llvm::Value* decided = condition_;
    if (!llvm::isGuaranteedNotToBeUndefOrPoison(decided)) decided = builder.CreateFreeze(decided);
    llvm::MDNode* weights = select.getMetadata(llvm::LLVMContext::MD_prof);
    llvm::DebugLoc where = select.getDebugLoc();

    tail_ = llvm::SplitBlock(head_, at);
    for (llvm::BasicBlock*& side : sides_) {
      side = llvm::BasicBlock::Create(head_->getContext(), "", head_->getParent(), tail_);
      llvm::BranchInst::Create(tail_, side)->setDebugLoc(where);
    }
    head_->getTerminator()->eraseFromParent();
    branch_ = llvm::BranchInst::Create(sides_[0], sides_[1], decided, head_);
    branch_->setDebugLoc(where);
    branch_->setMetadata(llvm::LLVMContext::MD_prof, weights);
    set_missed(*branch_, missed);
  }

  // All that can be: their operands are known before the branch.
  void take_selects() {
    std::vector<llvm::SelectInst*> found;
    for (llvm::Instruction& inst : *tail_) {
      if (!chooses(inst)) continue;
      auto* select = llvm::cast<llvm::SelectInst>(&inst);
      if (is_known(select->getTrueValue()) && is_known(select->getFalseValue())) found.push_back(select);
    }
    for (llvm::SelectInst* select : found) {
      llvm::PHINode* phi = add_phi(*select, select->getTrueValue(), select->getFalseValue());
      select->replaceAllUsesWith(phi);
      select->eraseFromParent();
    }
  }

  void pull_loads() {
    for (size_t i = 0; i < phis_.size(); ++i) {
      if (phis_[i]->getType()->isPointerTy()) pull_load(*phis_[i]);
    }
    std::erase_if(phis_, [](llvm::PHINode* phi) {
      if (!phi->use_empty()) return false;
      phi->eraseFromParent();
      return true;
    });
  }

  void sink_operands() {
    for (llvm::BasicBlock* side : sides_) {
      std::vector<llvm::Value*> needed;
      for (llvm::PHINode* phi : phis_) needed.push_back(phi->getIncomingValueForBlock(side));
      for (llvm::Instruction& inst : *side) needed.insert(needed.end(), inst.op_begin(), inst.op_end());
      sink(std::move(needed), head_, side);
    }
  }

  // Where little more than another branch follows, as at the end of a loop, each side that is taken often
  // gets one of its own, which saves a jump.
  void copy_short_tail() {
    constexpr double kOften = 0.1;
    if (!is_short_tail() || rarer_share(*branch_).value_or(0) < kOften) return;
    for (llvm::BasicBlock* side : sides_) {
      llvm::ValueToValueMapTy map;
      for (llvm::PHINode& phi : tail_->phis()) map[&phi] = phi.getIncomingValueForBlock(side);
      side->getTerminator()->eraseFromParent();
      copy_into(*tail_, side, map);
      for (llvm::BasicBlock* to : llvm::successors(tail_)) {
        for (llvm::PHINode& phi : to->phis()) {
          llvm::Value* value = phi.getIncomingValueForBlock(tail_);
          auto found = map.find(value);
          phi.addIncoming(found == map.end() ? value : static_cast<llvm::Value*>(found->second), side);
        }
      }
    }
    llvm::DeleteDeadBlock(tail_);
    tail_ = nullptr;
  }

  // An edge does for a side with nothing in it.
  void remove_empty_side() {
    llvm::BasicBlock* side = sides_[1];
    if (!tail_ || side->size() > 1) return;
    branch_->setSuccessor(1, tail_);
    for (llvm::PHINode& phi : tail_->phis()) phi.replaceIncomingBlockWith(side, head_);
    side->eraseFromParent();
  }

 private:
  // Not what is a condition itself, which may cost nothing.
  bool chooses(const llvm::Instruction& inst) const {
    const auto* select = llvm::dyn_cast<llvm::SelectInst>(&inst);
    return select && select->getCondition() == condition_ && !select->getType()->isIntegerTy(1);
  }

  bool is_known(const llvm::Value* value) const {
    const auto* inst = llvm::dyn_cast<llvm::Instruction>(value);
    return !inst || inst->getParent() != tail_;
  }

  llvm::PHINode* add_phi(const llvm::Instruction& of, llvm::Value* on_true, llvm::Value* on_false) {
    auto* phi = llvm::PHINode::Create(of.getType(), 2);
    phi->insertBefore(tail_->begin());
    phi->addIncoming(on_true, sides_[0]);
    phi->addIncoming(on_false, sides_[1]);
    phi->setDebugLoc(of.getDebugLoc());
    phis_.push_back(phi);
    return phi;
  }

  // The address is used by a load alone, or by one that adds an offset first.
  void pull_load(llvm::PHINode& address) {
    if (!address.hasOneUse()) return;
    auto* offset = llvm::dyn_cast<llvm::GetElementPtrInst>(address.user_back());
    llvm::Instruction* last = offset ? offset : static_cast<llvm::Instruction*>(&address);
    if (!last->hasOneUse()) return;
    auto* load = llvm::dyn_cast<llvm::LoadInst>(last->user_back());
    if (!load || load->getParent() != tail_ || !load->isSimple()) return;
    if (offset && !std::all_of(offset->op_begin(), offset->op_end(), [&](const llvm::Value* operand) {
          return operand == &address || is_known(operand);
        })) {
      return;
    }
    if (std::any_of(tail_->begin(), load->getIterator(), writes_or_stops)) return;

    std::array<llvm::Value*, 2> loaded;
    for (size_t i = 0; i < sides_.size(); ++i) {
      llvm::Value* from = address.getIncomingValueForBlock(sides_[i]);
      if (offset) from = put(*offset, offset->getPointerOperandIndex(), from, sides_[i]);
      loaded[i] = put(*load, load->getPointerOperandIndex(), from, sides_[i]);
    }
    load->replaceAllUsesWith(add_phi(*load, loaded[0], loaded[1]));
    load->eraseFromParent();
    if (offset) offset->eraseFromParent();
  }

  static llvm::Instruction* put(const llvm::Instruction& inst, unsigned operand, llvm::Value* value,
                                llvm::BasicBlock* side) {
    llvm::Instruction* copy = inst.clone();
    copy->setOperand(operand, value);
    copy->insertBefore(side->getTerminator());
    return copy;
  }

  // A few instructions of which nothing is used but by phis right behind them.
  bool is_short_tail() const {
    constexpr long kMost = 4;
    const auto* branch = llvm::dyn_cast<llvm::BranchInst>(tail_->getTerminator());
    if (!branch || branch->isUnconditional() || branch->getSuccessor(0) == branch->getSuccessor(1))
      return false;
    if (std::distance(tail_->getFirstNonPHIIt(), tail_->end()) > kMost) return false;
    return llvm::all_of(*tail_, [&](const llvm::Instruction& inst) {
      return !inst.mayHaveSideEffects() && llvm::all_of(inst.uses(), [&](const llvm::Use& use) {
        const auto* user = llvm::cast<llvm::Instruction>(use.getUser());
        const auto* phi = llvm::dyn_cast<llvm::PHINode>(user);
        return phi ? phi->getIncomingBlock(use) == tail_ : user->getParent() == tail_;
      });
    });
  }

  llvm::Value* condition_;
  llvm::BasicBlock* head_ = nullptr;
  llvm::BasicBlock* tail_ = nullptr;
  llvm::BranchInst* branch_ = nullptr;
  std::array<llvm::BasicBlock*, 2> sides_ = {};  // condition true, and false
  std::vector<llvm::PHINode*> phis_;
};

// What is computed for this value alone.
double needed_for(const llvm::Value* value, const llvm::BasicBlock* block) {
  constexpr size_t kMost = 16;
  std::vector<const llvm::Value*> work = {value};
  double found = 0;
  for (size_t i = 0; i < work.size() && i < kMost; ++i) {
    const auto* inst = llvm::dyn_cast<llvm::Instruction>(work[i]);
    if (!inst || inst->getParent() != block || !inst->hasOneUse() || !can_sink(*inst)) continue;
    found += !is_free(*inst);
    work.insert(work.end(), inst->op_begin(), inst->op_end());
  }
  return found;
}

}  // namespace

void make_branch(llvm::SelectInst& select, double missed) {
  Diamond diamond(select, missed);
  diamond.take_selects();
  diamond.pull_loads();
  diamond.sink_operands();
  diamond.copy_short_tail();
  diamond.remove_empty_side();
}

double saved_by_branch(const llvm::SelectInst& select, double true_share) {
  const llvm::BasicBlock* block = select.getParent();
  return (1 - true_share) * needed_for(select.getTrueValue(), block) +
         true_share * needed_for(select.getFalseValue(), block);
}

}  // namespace psi::llvm_bridge
