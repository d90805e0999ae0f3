// Calls a compiler that crashes with psic again without it.
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>

#include "child_process.h"
#include "psicc/psicc.h"

namespace psicc {
namespace {

constexpr std::array kCrashes = {SIGSEGV, SIGABRT, SIGBUS, SIGILL, SIGFPE};
constexpr int kShell = 128;    // and the number of a signal, as shells and clang have it
constexpr int kInternal = 70;  // LLVM's exit status after an internal error

// Standard input from a file, so that it can be read again.
void keep_input() {
  if (lseek(STDIN_FILENO, 0, SEEK_CUR) >= 0) return;
  std::FILE* file = std::tmpfile();
  if (!file) throw Mistake{std::string("cannot keep standard input: ") + std::strerror(errno)};
  std::array<char, 1 << 16> buffer;
  ssize_t size = 0;
  while ((size = read(STDIN_FILENO, buffer.data(), buffer.size())) > 0) {
    if (std::fwrite(buffer.data(), 1, static_cast<size_t>(size), file) != static_cast<size_t>(size)) break;
  }
  if (size != 0 || std::fflush(file) != 0) {
    throw Mistake{std::string("cannot keep standard input: ") + std::strerror(errno)};
  }
  lseek(fileno(file), 0, SEEK_SET);
  dup2(fileno(file), STDIN_FILENO);
}

bool is_crash(int status) {
  return status == kInternal ||
         std::ranges::any_of(kCrashes, [&](int signal) { return status == kShell + signal; });
}

}  // namespace

void become(const Arguments& command) {
  child_process::become(command);
  throw Mistake{"cannot run " + command[0] + ": " + std::strerror(errno)};
}

int run_with_fallback(const Arguments& command, const Arguments& fallback, bool reads_input) {
  if (reads_input) keep_input();
  off_t start = reads_input ? lseek(STDIN_FILENO, 0, SEEK_CUR) : 0;
  pid_t child = child_process::start_with([&] {
    child_process::become(command);
    std::fprintf(stderr, "psicc: error: cannot run %s: %s\n", command[0].c_str(), std::strerror(errno));
    ::_exit(1);
  });
  if (child < 0) become(command);
  child_process::Ended ended = child_process::wait_for(child);
  int status = ended.error != 0 ? 1 : ended.status();
  if (!is_crash(status)) return status;
  if (reads_input) lseek(STDIN_FILENO, start, SEEK_SET);
  std::fputs("psicc: warning: clang crashed with psic in it; again without\n", stderr);
  become(fallback);
  return status;
}

}  // namespace psicc
