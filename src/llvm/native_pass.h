// psic as one pass of a compiler that works on LLVM IR: the functions of a module go through psic's passes
// and come back in the place of what they were.
//
// Whatever goes wrong with a function, be it that psic IR cannot say it, that a pass crashes, or that the
// result does not verify, it stays as it was, and the others are not affected.
#pragma once

#include <llvm/IR/DebugLoc.h>
#include <llvm/IR/Module.h>

#include <functional>
#include <optional>
#include <string>

#include "psi/pass.h"

namespace psi::llvm_bridge {

struct NativeMessage {
  enum class Kind : uint8_t {
    Done,     // by a pass
    Refused,  // by a pass
    Left,     // the function cannot be imported
    Failed,   // something went wrong that must not
  };
  Kind kind = Kind::Done;
  const llvm::Function* function = nullptr;
  llvm::DebugLoc where;  // none: unknown
  std::string text;
};

struct NativeOptions {
  PassList passes;
  bool remarks = false;        // report Done, Refused and Left, too
  std::string remarks_of;      // by this pass alone, if not empty
  bool unpredictable = false;  // branches without a profile go either way as often, but for those of loops
  std::function<void(const NativeMessage&)> report;
  // For tests: write back also the functions that no pass has changed.
  bool export_all = false;
  // For tests: crash in this function, while it is in this step: `import`, `passes` or `export`.
  std::string crash_in;
  std::string crash_while;
  bool crash_by_overflow = false;  // of the stack
};

// The machine that a module is compiled for, by psic's name for it; `select`, which has nothing but selects,
// if psic does not know it.
std::string native_target(const llvm::Module& module);

// The passes that help code for a machine like this.
std::string native_passes(const std::string& target, bool wherever_right);

// Does it have a branch that could go, and nothing in it that asks to be left alone?
bool is_candidate(const llvm::Function& function);

// Has anything changed?
bool run_natively(llvm::Module& module, const NativeOptions& options);

}  // namespace psi::llvm_bridge
