// The shared state of the bridge. The only header besides LLVM's own that sees LLVM types.
#pragma once

#include <llvm/ADT/DenseMap.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>

#include <functional>
#include <memory>
#include <vector>

#include "psi/llvm/llvm.h"

namespace psi {

struct LlvmModule::Impl {
  // Both are null if the caller owns the module.
  std::unique_ptr<llvm::LLVMContext> own_context;
  std::unique_ptr<llvm::Module> own_module;
  llvm::Module* module = nullptr;

  // The imported state of each function, so that write_back() can detect changes.
  struct Imported {
    llvm::Function* function = nullptr;  // null: not imported
    uint64_t text_hash = 0;
    uint32_t first_opaque = 0;  // its instructions in `opaque` below
    uint32_t end_opaque = 0;
  };
  std::vector<Imported> imported;  // by SymbolId

  // Instructions that psic IR lacks are calls of $psi.llvm.N in it; these are the instructions in the current
  // function; null for those that passes have removed.
  std::vector<llvm::Instruction*> opaque;

  // While a function is being written: that function, and one that holds its old body.
  struct Replaced {
    llvm::Function* target = nullptr;
    llvm::Function* old_body = nullptr;
  };
  Replaced replaced;
  std::function<void()> while_replaced;  // called then, if there is one: for tests

  // If set, a psic instruction's origin is the LLVM instruction it came from: its place in `origins`, of the
  // function that was imported last, plus one.
  bool keeps_origins = false;
  // And the registers of LLVM's values, if there is debug information that tells of these.
  llvm::DenseMap<const llvm::Value*, Reg> regs;
  bool dropped_scopes = false;  // of that function, declarations of alias scopes
  // Have passes only moved and guarded instructions, so that LLVM's facts about the origin still hold?
  bool trusts_origins = false;
  std::vector<const llvm::Instruction*> origins;

  const llvm::Instruction* origin(uint32_t number) const {
    return keeps_origins && number > 0 && number <= origins.size() ? origins[number - 1] : nullptr;
  }
};

namespace llvm_bridge {

// Equal for equal functions, names included.
uint64_t text_hash(const Function& function);

Module import_module(LlvmModule::Impl& impl, ImportMode mode, std::vector<LlvmRemark>& remarks);
void write_back_module(LlvmModule::Impl& impl, const Module& module, std::vector<LlvmRemark>& remarks,
                       WriteBack what);

}  // namespace llvm_bridge
}  // namespace psi
