// Import and export of single functions of a caller's LLVM module, in place, for a compiler with psic as one
// of its passes.
#pragma once

#include <string>

#include "llvm/bridge/bridge.h"
#include "llvm/bridge/import.h"

namespace psi::llvm_bridge {

class InPlaceModule {
 public:
  explicit InPlaceModule(llvm::Module& source);

  // Imports the body, in SSA form. On failure the result is the reason. The function imported before becomes
  // a declaration again.
  std::string import(llvm::Function& function);
  // The function imported last.
  Function& function() { return *function_; }
  const Module& module() const { return module_; }

  // Has it changed since?
  bool is_changed() const { return text_hash(*function_) != imported_.text_hash; }
  // Have the passes only moved and guarded instructions? If so write_back() keeps LLVM's facts about them.
  void trust_origins(bool trust) { impl_.trusts_origins = trust; }
  // Writes it back. On failure nothing changes, and the result is the reason. `in_the_middle`, for tests, is
  // called when both the new and the old body exist.
  std::string write_back(std::function<void()> in_the_middle = {});
  // After an interrupted import, pass or write_back(): restores the LLVM function.
  void recover();

  // The LLVM origin of an instruction with this line; null if there is none. Before write_back().
  const llvm::Instruction* origin(uint32_t number) const { return impl_.origin(number); }

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
