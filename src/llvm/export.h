// Functions on their way back into LLVM IR.
#pragma once

#include <string>

#include "llvm/bridge.h"

namespace psi::llvm_bridge {

// Replaces the body of the LLVM function by that of the psic function. If that cannot be done nothing
// changes, and the answer says why; otherwise it is empty.
std::string export_function(LlvmModule::Impl& impl, const LlvmModule::Impl::Imported& imported,
                            const Module& module, const Function& function);

// Gives a function whose export was interrupted its old body back; nothing if none was.
void restore_body(LlvmModule::Impl& impl);

}  // namespace psi::llvm_bridge
