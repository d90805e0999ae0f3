// Export of calls, with their original function type, convention and attributes.
#pragma once

#include <llvm/IR/IRBuilder.h>

#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "llvm/bridge/bridge.h"

namespace psi::llvm_bridge {

class ExportCalls {
 public:
  // `original` is the body that is being replaced.
  ExportCalls(LlvmModule::Impl& impl, llvm::Function& original, llvm::IRBuilder<>& builder);

  // The result, in psic's width; null if there is none. `result` is the psic call's result type; `origin` its
  // LLVM instruction, if known.
  llvm::Value* call(llvm::Value* callee, std::span<llvm::Value* const> arguments, Type result,
                    const llvm::Instruction* origin);
  // The instruction number N of $psi.llvm.N, with these operands.
  llvm::Value* opaque(uint32_t number, std::span<llvm::Value* const> operands);

  // The reason why the calls cannot be exported; empty if they can.
  const std::string& problem() const { return problem_; }

 private:
  // The common part of the original calls that a call may come from: those of the same callee, or, if it is
  // indirect, of the same types. Passes do not track which one it was.
  struct Model {
    llvm::FunctionType* type = nullptr;
    llvm::CallingConv::ID convention = llvm::CallingConv::C;
    llvm::AttributeList attributes = {};
    bool agrees = true;                      // do they pass their arguments in the same way?
    bool has_call = false;                   // one was merged
    llvm::AttributeList last = {};           // of the call that was merged last
    const llvm::CallInst* origin = nullptr;  // if it is known which call it was
  };
  void add(const llvm::CallBase& call);
  void merge(Model& model, const llvm::CallBase& call);
  Model model_of(llvm::Value* callee, std::span<llvm::Value* const> arguments, Type result,
                 const llvm::Instruction* origin);
  Model find_model(llvm::Value* callee, std::span<llvm::Value* const> arguments, Type result);

  LlvmModule::Impl& impl_;
  llvm::IRBuilder<>& builder_;
  // By callee, or null for indirect calls; then by type, in the order of the text.
  std::unordered_map<const llvm::Value*, std::vector<Model>> models_;
  std::string problem_;
};

// A value of another width: integers of non-native width are wider in psic IR.
llvm::Value* resize(llvm::IRBuilder<>& builder, llvm::Value* value, llvm::Type* type);

}  // namespace psi::llvm_bridge
