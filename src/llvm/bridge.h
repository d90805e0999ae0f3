// What the parts of the bridge share. The only header besides LLVM's own that sees LLVM types.
#pragma once

#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>

#include <memory>
#include <vector>

#include "psi/llvm.h"

namespace psi {

struct LlvmModule::Impl {
  llvm::LLVMContext context;
  std::unique_ptr<llvm::Module> module;

  // What import made of each function, so that take() can tell what passes have changed.
  struct Imported {
    llvm::Function* function = nullptr;  // null: not imported
    uint64_t fingerprint = 0;
    uint32_t first_opaque = 0;  // its instructions in `opaque` below
    uint32_t end_opaque = 0;
  };
  std::vector<Imported> imported;  // by SymbolId

  // Instructions that psic IR has no words for stand in it as calls of $psi.llvm.N; these are the
  // instructions, in the function as it is now; null for those that passes have removed.
  std::vector<llvm::Instruction*> opaque;
};

namespace llvm_bridge {

// Equal for functions that are the same, names and all.
uint64_t fingerprint(const Function& function);

Module import_module(LlvmModule::Impl& impl, ImportMode mode, std::vector<LlvmRemark>& remarks);
void take_module(LlvmModule::Impl& impl, const Module& module, std::vector<LlvmRemark>& remarks,
                 TakeWhat what);

}  // namespace llvm_bridge
}  // namespace psi
