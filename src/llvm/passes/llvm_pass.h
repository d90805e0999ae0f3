// psic as a pass of a compiler on LLVM IR: the functions of a module go through psic's passes and are written
// back in place.
//
// A function that psic IR cannot express, on which a pass crashes, or whose result does not verify stays as
// it was, and the others are not affected.
#pragma once

#include <llvm/IR/DebugLoc.h>
#include <llvm/IR/Module.h>

#include <functional>
#include <optional>
#include <string>

#include "psi/pipeline/pass_table.h"

namespace psi::llvm_bridge {

struct LlvmPassMessage {
  enum class Kind : uint8_t {
    Done,     // by a pass
    Refused,  // by a pass
    Left,     // the function cannot be imported
    Failed,   // an internal error
  };
  Kind kind = Kind::Done;
  const llvm::Function* function = nullptr;
  llvm::DebugLoc where;  // none: unknown
  std::string text;
};

struct LlvmPassOptions {
  PassList passes;
  bool remarks = false;        // report Done, Refused and Left, too
  bool of_deciding = false;    // by those passes alone that decide (psi/pipeline/pass_table.h)
  bool unpredictable = false;  // branches without a profile are equally likely, except those of loops
  std::function<void(const LlvmPassMessage&)> report;
  // For tests: write back also the functions that no pass has changed.
  bool export_all = false;
  // For tests: crash in this function, while it is in this step: `import`, `passes` or `export`.
  std::string crash_in;
  std::string crash_while;
  bool crash_by_overflow = false;  // of the stack
};

// psic's name of the target that a module is compiled for; `select`, which has selects only, if psic does not
// know it.
std::string target_name_for(const llvm::Module& module);

// Does it have a conditional branch, and no attribute that excludes it?
bool is_candidate(const llvm::Function& function);

// Has anything changed?
bool run_llvm_pass(llvm::Module& module, const LlvmPassOptions& options);

}  // namespace psi::llvm_bridge
