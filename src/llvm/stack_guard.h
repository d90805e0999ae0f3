// Crash recovery for a stack that overflows: as LLVM installs its handlers they run on the stack that has no
// room left, so that the process dies.
#pragma once

#include <array>
#include <csignal>
#include <memory>

namespace psi::llvm_bridge {

// While it exists LLVM's crash recovery, which must be enabled, has a stack of its own on this thread.
class StackGuard {
 public:
  StackGuard();
  ~StackGuard();
  StackGuard(const StackGuard&) = delete;
  StackGuard& operator=(const StackGuard&) = delete;

 private:
  // What an access beyond the end of a stack raises.
  static constexpr std::array<int, 2> kSignals = {SIGSEGV, SIGBUS};

  std::array<struct sigaction, kSignals.size()> before_;
  std::unique_ptr<char[]> stack_;  // none: the thread had one
};

// For tests.
void exhaust_stack();

}  // namespace psi::llvm_bridge
