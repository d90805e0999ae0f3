// What an instruction on its way back keeps of the LLVM instruction that it came from.
//
// psic IR has no words for flags such as `nsw`, for metadata, or for the attributes of a single call. Where
// it is known which LLVM instruction a psic instruction came from (LlvmModule::Impl::keeps_origins), and the
// passes in between only move and guard instructions, these are still true, with one exception: an
// instruction that is now executed where it was not before may well overflow there. So it keeps what makes
// its result poison only if it is executed under the same conditions as before.
#pragma once

#include <llvm/Analysis/PostDominators.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>

#include <optional>
#include <span>
#include <vector>

#include "llvm/bridge.h"

namespace psi::llvm_bridge {

class ExportOrigins {
 public:
  // `original` is the body that is being replaced; it was imported block by block.
  ExportOrigins(const LlvmModule::Impl& impl, llvm::Function& original);

  bool are_known() const { return impl_.keeps_origins; }
  // Where it came from; null if that is not known.
  const llvm::Instruction* of(const Function& function, InstId id) const {
    return impl_.origin(function.line(id));
  }
  // The same if what is known of it still holds.
  const llvm::Instruction* trusted(const llvm::Instruction* origin) const {
    return impl_.trusts_origins ? origin : nullptr;
  }

  // What it computes, written as the origin had it where emit_op would write it in more steps; null if not.
  llvm::Value* compute(llvm::IRBuilder<>& builder, const llvm::Instruction& origin, const Function& function,
                       const Inst& inst, std::span<llvm::Value* const> operands, BlockId b);
  // `made`, which stands in block `b` of the psic function, came from `origin`.
  void keep(llvm::Instruction& made, const llvm::Instruction& origin, BlockId b);

  // Is what stands in this block now executed whenever the origin was?
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
  llvm::CallInst* overflow_ = nullptr;           // the last arithmetic with overflow that was written
  std::vector<const llvm::BasicBlock*> blocks_;  // by BlockId: as they were
  std::optional<llvm::PostDominatorTree> post_dominators_;
};

}  // namespace psi::llvm_bridge
