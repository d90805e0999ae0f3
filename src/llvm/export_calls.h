// Calls on their way back: with the function type, the convention and the attributes that they came with.
#pragma once

#include <llvm/IR/IRBuilder.h>

#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "llvm/bridge.h"

namespace psi::llvm_bridge {

class ExportCalls {
 public:
  // `original` is the body that is being replaced.
  ExportCalls(LlvmModule::Impl& impl, llvm::Function& original, llvm::IRBuilder<>& builder);

  // The result, as wide as psic has it; null if there is none. `result` is what the psic call gives; `origin`
  // the instruction that it came from, if that is known.
  llvm::Value* call(llvm::Value* callee, std::span<llvm::Value* const> arguments, Type result,
                    const llvm::Instruction* origin);
  // The instruction number N that $psi.llvm.N stands for, with these operands.
  llvm::Value* opaque(uint32_t number, std::span<llvm::Value* const> operands);

  // Why the calls cannot be written; empty if they can.
  const std::string& problem() const { return problem_; }

 private:
  // What is common to the calls of the original body that one may have been: those of the same callee, or, if
  // it is indirect, those of the same types. Which of them it was passes cannot tell.
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

// A value of another width: integers that LLVM has in odd widths are wider in psic IR.
llvm::Value* resize(llvm::IRBuilder<>& builder, llvm::Value* value, llvm::Type* type);

}  // namespace psi::llvm_bridge
