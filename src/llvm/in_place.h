// Functions of an LLVM module that belongs to somebody else, one at a time: into psic IR, and back into the
// place of what they were. For a compiler that has psic as one of its passes.
#pragma once

#include <string>

#include "llvm/bridge.h"
#include "llvm/import.h"

namespace psi::llvm_bridge {

class InPlaceModule {
 public:
  explicit InPlaceModule(llvm::Module& source);

  // The body, in SSA form. If that cannot be done the answer says why. The function that was imported before
  // is a declaration again.
  std::string import(llvm::Function& function);
  // The one that was imported last.
  Function& function() { return *function_; }
  const Module& module() const { return module_; }

  // Has it changed since?
  bool is_changed() const { return fingerprint(*function_) != imported_.fingerprint; }
  // Have the passes only moved and guarded instructions? If so take() keeps what LLVM knew of them.
  void trust_origins(bool trust) { impl_.trusts_origins = trust; }
  // Puts it back. If that cannot be done nothing changes, and the answer says why. `in_the_middle`, for
  // tests, is called when the new body is there and the old one is not yet gone.
  std::string take(std::function<void()> in_the_middle = {});
  // After import, passes or take() were left in the middle: the LLVM function is as it was before.
  void recover();

  // The LLVM instruction that an instruction with this line came from; null if there is none. Before take().
  const llvm::Instruction* origin(uint32_t line) const { return impl_.origin(line); }

 private:
  void forget();

  LlvmModule::Impl impl_;
  Module module_;
  ModuleImport context_;
  FunctionImport import_;
  Function* function_ = nullptr;
  LlvmModule::Impl::Imported imported_;
};

}  // namespace psi::llvm_bridge
