// The properties that an exported instruction keeps from its LLVM origin.
//
// psic IR lacks flags such as `nsw`, metadata, and attributes of single calls. Where the LLVM origin of a
// psic instruction is known (LlvmModule::Impl::keeps_origins), and the passes only move and guard
// instructions, these are still true, with one exception: a speculated instruction may overflow. So an
// instruction keeps poison-generating flags only if it is executed under the same conditions as before.
#pragma once

#include <llvm/Analysis/PostDominators.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>

#include <optional>
#include <span>
#include <vector>

#include "llvm/bridge/bridge.h"
#include "psi/pass/analyses.h"

namespace psi::llvm_bridge {

class ExportOrigins {
 public:
  // `original` is the body that is being replaced; it was imported block by block.
  ExportOrigins(const LlvmModule::Impl& impl, llvm::Function& original, Analyses& analyses);

  bool are_known() const { return impl_.keeps_origins; }
  // The origin; null if unknown.
  const llvm::Instruction* of(const Function& function, InstId id) const {
    return impl_.origin(function.origin(id));
  }
  // The same if its properties still hold.
  const llvm::Instruction* trusted(const llvm::Instruction* origin) const {
    return impl_.trusts_origins ? origin : nullptr;
  }

  // Its computation in the form of the origin, where emit_op would need more instructions; null if not.
  llvm::Value* compute(llvm::IRBuilder<>& builder, const llvm::Instruction& origin, const Function& function,
                       const Inst& inst, std::span<llvm::Value* const> operands, BlockId b);
  // `made`, which stands in block `b` of the psic function, came from `origin`.
  void keep(llvm::Instruction& made, const llvm::Instruction& origin, BlockId b);

  // Is this block executed exactly when the origin was?
  bool is_executed_as_before(const llvm::Instruction& origin, BlockId b);

 private:
  // A copy of the origin of an address computation with these operands; null if that would not be the same
  // computation.
  llvm::Instruction* address(const llvm::Instruction& origin, const Function& function, const Inst& inst,
                             std::span<llvm::Value* const> operands) const;
  llvm::Value* overflow(llvm::IRBuilder<>& builder, const llvm::WithOverflowInst& origin, const Inst& inst,
                        std::span<llvm::Value* const> operands);
  void keep_access(llvm::Instruction& made, const llvm::Instruction& origin);
  const LlvmModule::Impl& impl_;
  llvm::Function& original_;
  llvm::CallInst* overflow_ = nullptr;  // the last arithmetic with overflow that was written
  // By BlockId: as they were; of a new block, the nearest one that it is executed behind.
  std::vector<const llvm::BasicBlock*> blocks_;
  std::optional<llvm::PostDominatorTree> post_dominators_;
};

}  // namespace psi::llvm_bridge
