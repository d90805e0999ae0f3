#include <unistd.h>

#include <array>
#include <atomic>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>

#include "psic/output.h"
#include "psic/tool.h"

// The sanitizers have handlers of their own, which say more.
#if defined(__SANITIZE_ADDRESS__)
#define PSIC_SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define PSIC_SANITIZED 1
#endif
#endif

namespace psic {
namespace {

constexpr std::string_view kHowToReport =
    "psic: this is a bug in psic, not in your input. Please report it with the command line, the input and\n"
    "psic: the output of 'psic --version', as CONTRIBUTING.md describes; 'psic reduce' can make the input "
    "small.\n";

// Of the CrashMessage that lives.
std::atomic<const std::string*> crash_message = nullptr;

#ifndef PSIC_SANITIZED
void write_all(std::string_view text) {
  while (!text.empty()) {
    ssize_t written = ::write(STDERR_FILENO, text.data(), text.size());
    if (written <= 0) return;
    text.remove_prefix(static_cast<size_t>(written));
  }
}

// Only what is safe in a signal handler.
void on_crash(int signal) {
  if (const std::string* message = crash_message.load()) {
    write_all(*message);
    _exit(kBadInput);
  }
  write_all(signal == SIGSEGV ? "psic: internal error: memory fault\n" : "psic: internal error: aborted\n");
  write_all(kHowToReport);
  _exit(kBug);
}
#endif

}  // namespace

bool colour_wanted(int fd) {
  const char* no_color = std::getenv("NO_COLOR");
  return isatty(fd) && !(no_color && *no_color);
}

void error(std::string_view message) { say("psic: error: {}\n", message); }

void report_bug(std::string_view message) { say("psic: internal error: {}\n{}", message, kHowToReport); }

CrashMessage::CrashMessage(std::string message) : message_(std::move(message)) { crash_message = &message_; }
CrashMessage::~CrashMessage() { crash_message = nullptr; }

void install_crash_handlers() {
#ifndef PSIC_SANITIZED
  // A separate stack, for overflows of the ordinary one.
  static std::array<char, 1 << 16> stack;
  stack_t alternative{};
  alternative.ss_sp = stack.data();
  alternative.ss_size = stack.size();
  sigaltstack(&alternative, nullptr);
  struct sigaction action{};
  action.sa_handler = on_crash;
  action.sa_flags = SA_ONSTACK | static_cast<int>(SA_RESETHAND);
  for (int signal : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT}) sigaction(signal, &action, nullptr);
#endif
}

}  // namespace psic
