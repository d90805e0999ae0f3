#include "llvm/bridge/stack_guard.h"

#include <cstddef>
#include <cstdlib>

namespace psi::llvm_bridge {
namespace {

// The handler does little more than a jump, but the saved processor state takes some 11 KiB on the largest
// processors.
constexpr size_t kHandlerStack = size_t{64} << 10;

constexpr size_t kFrame = size_t{4} << 10;
// A gibibyte of frames, more than any limited stack has.
constexpr size_t kFrames = size_t{1} << 18;

// Opaque to the compiler, so that it does not become a loop.
__attribute__((noinline)) size_t take_frames(size_t count) {
  volatile char frame[kFrame];
  frame[count % kFrame] = 1;
  return count == 0 ? 0 : take_frames(count - 1) + static_cast<size_t>(frame[count % kFrame]);
}

}  // namespace

StackGuard::StackGuard() {
  stack_t present = {};
  if (sigaltstack(nullptr, &present) == 0 && (present.ss_flags & SS_DISABLE)) {
    stack_ = std::make_unique<char[]>(kHandlerStack);
    stack_t own = {};
    own.ss_sp = stack_.get();
    own.ss_size = kHandlerStack;
    sigaltstack(&own, nullptr);
  }
  for (size_t i = 0; i < kSignals.size(); ++i) {
    sigaction(kSignals[i], nullptr, &before_[i]);
    struct sigaction with_stack = before_[i];
    with_stack.sa_flags |= SA_ONSTACK;
    sigaction(kSignals[i], &with_stack, nullptr);
  }
}

StackGuard::~StackGuard() {
  for (size_t i = 0; i < kSignals.size(); ++i) sigaction(kSignals[i], &before_[i], nullptr);
  if (!stack_) return;
  stack_t none = {};
  none.ss_flags = SS_DISABLE;
  sigaltstack(&none, nullptr);
}

void exhaust_stack() {
  // The sum is used, so that it is computed.
  if (take_frames(kFrames) != kFrames) std::abort();
}

}  // namespace psi::llvm_bridge
