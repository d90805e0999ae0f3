// Locations of source variables, for debuggers: records before LLVM's instructions, which psic IR lacks.
// Where origins are known, the records are placed before the exported instructions again.
#pragma once

#include <llvm/ADT/DenseMap.h>
#include <llvm/IR/DebugProgramInstruction.h>

#include <vector>

#include "llvm/bridge/export_origins.h"
#include "llvm/bridge/export_values.h"

namespace psi::llvm_bridge {

class ExportVariables {
 public:
  ExportVariables(const LlvmModule::Impl& impl, ExportOrigins& origins, ExportValues& values,
                  llvm::Function& original, const Function& function);

  // `made` is the first instruction that was written for one that came from `origin`, in block `b`.
  void keep(llvm::Instruction& made, const llvm::Instruction& origin, BlockId b);

 private:
  void relocate(llvm::DbgVariableRecord& record);

  const LlvmModule::Impl& impl_;
  ExportOrigins& origins_;
  ExportValues& values_;
  // Those in front of an instruction, and of instructions before it that are no longer there.
  llvm::DenseMap<const llvm::Instruction*, std::vector<const llvm::DbgRecord*>> records_;
};

}  // namespace psi::llvm_bridge
