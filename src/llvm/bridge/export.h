// Export of functions to LLVM IR.
#pragma once

#include <string>

#include "llvm/bridge/bridge.h"

namespace psi::llvm_bridge {

// Replaces the body of the LLVM function by that of the psic function. On failure nothing changes, and the
// result is the reason; otherwise it is empty.
std::string export_function(LlvmModule::Impl& impl, const LlvmModule::Impl::Imported& imported,
                            const Module& module, const Function& function);

// Restores the old body of a function whose export was interrupted, if any.
void restore_body(LlvmModule::Impl& impl);

}  // namespace psi::llvm_bridge
