#include "llvm/bridge/export.h"

#include <fmt/format.h>

namespace psi {
namespace llvm_bridge {

void take_module(LlvmModule::Impl& impl, const Module& module, std::vector<LlvmRemark>& remarks,
                 TakeWhat what) {
  for (SymbolId symbol : module.declarations()) {
    if (symbol.index() >= impl.imported.size() || !impl.imported[symbol.index()].function) continue;
    LlvmModule::Impl::Imported& imported = impl.imported[symbol.index()];
    const Function& function = module.function(symbol);
    if (what == TakeWhat::Changed && fingerprint(function) == imported.fingerprint) continue;
    std::string problem = export_function(impl, imported, module, function);
    if (!problem.empty()) {
      remarks.push_back({std::string(module.name(symbol)), std::move(problem)});
      continue;
    }
    imported.fingerprint = fingerprint(function);
  }
}

}  // namespace llvm_bridge

void LlvmModule::take(const Module& module, std::vector<LlvmRemark>& remarks, TakeWhat what) {
  llvm_bridge::take_module(*impl_, module, remarks, what);
}

}  // namespace psi
