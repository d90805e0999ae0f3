#include "psic_llvm/bridge.h"

extern "C" __attribute__((visibility("default"))) const psic::LlvmBridge* psic_llvm_bridge() {
  static constexpr psic::LlvmBridge kBridge = {
      [](std::string_view contents, std::string_view name, std::string& error) {
        psi::Result<psi::LlvmModule> read = psi::LlvmModule::read(contents, name);
        if (read) return std::make_shared<psi::LlvmModule>(std::move(*read));
        error = read.message();
        return std::shared_ptr<psi::LlvmModule>();
      },
      [](psi::LlvmModule& module, psi::ImportMode mode, std::vector<psi::LlvmRemark>& remarks) {
        return module.import(mode, remarks);
      },
      [](psi::LlvmModule& into, const psi::Module& module, std::vector<psi::LlvmRemark>& remarks,
         psi::WriteBack what) { into.write_back(module, remarks, what); },
      [](const psi::LlvmModule& module) { return module.text(); },
      [](const psi::LlvmModule& module) { return module.bitcode(); },
  };
  return &kBridge;
}
