// Crash recovery for stack overflows: LLVM's handlers run on the overflowing stack, so that the process would
// die.
#pragma once

#include <array>
#include <csignal>
#include <memory>

namespace psi::llvm_bridge {

// While it exists LLVM's crash recovery, which must be enabled, has a separate stack on this thread.
class StackGuard {
 public:
  StackGuard();
  ~StackGuard();
  StackGuard(const StackGuard&) = delete;
  StackGuard& operator=(const StackGuard&) = delete;

 private:
  // The signals of an access beyond the end of a stack.
  static constexpr std::array<int, 2> kSignals = {SIGSEGV, SIGBUS};

  std::array<struct sigaction, kSignals.size()> before_;
  std::unique_ptr<char[]> stack_;  // none: the thread had one
};

// For tests.
void exhaust_stack();

}  // namespace psi::llvm_bridge
