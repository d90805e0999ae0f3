#include "llvm/bridge/export.h"

#include <fmt/format.h>

namespace psi {
namespace llvm_bridge {

void write_back_module(LlvmModule::Impl& impl, const Module& module, std::vector<LlvmRemark>& remarks,
                       WriteBack what) {
  for (SymbolId symbol : module.declarations()) {
    if (symbol.index() >= impl.imported.size() || !impl.imported[symbol.index()].function) continue;
    LlvmModule::Impl::Imported& imported = impl.imported[symbol.index()];
    const Function& function = module.function(symbol);
    if (what == WriteBack::Changed && text_hash(function) == imported.text_hash) continue;
    std::string problem = export_function(impl, imported, module, function);
    if (!problem.empty()) {
      remarks.push_back({std::string(module.name(symbol)), std::move(problem)});
      continue;
    }
    imported.text_hash = text_hash(function);
  }
}

}  // namespace llvm_bridge

void LlvmModule::write_back(const Module& module, std::vector<LlvmRemark>& remarks, WriteBack what) {
  llvm_bridge::write_back_module(*impl_, module, remarks, what);
}

}  // namespace psi
