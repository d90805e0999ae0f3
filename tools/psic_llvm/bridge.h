// The interface to the bridge to LLVM, a module that is loaded for the first file of LLVM IR: loading LLVM
// takes longer than most commands.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "psi/llvm/llvm.h"

namespace psic {

struct LlvmBridge {
  std::shared_ptr<psi::LlvmModule> (*read)(std::string_view contents, std::string_view name,
                                           std::string& error);
  psi::Module (*import)(psi::LlvmModule& module, psi::ImportMode mode, std::vector<psi::LlvmRemark>& remarks);
  void (*write_back)(psi::LlvmModule& into, const psi::Module& module, std::vector<psi::LlvmRemark>& remarks,
                     psi::WriteBack what);
  std::string (*text)(const psi::LlvmModule& module);
  std::string (*bitcode)(const psi::LlvmModule& module);
};

// The one function that the module exports.
inline constexpr const char* kLlvmBridgeSymbol = "psic_llvm_bridge";
using GetLlvmBridge = const LlvmBridge* (*)();

}  // namespace psic
