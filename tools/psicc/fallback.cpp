// A compiler that crashes with psic in it is called once more without.
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>

#include "psicc/psicc.h"

namespace psicc {
namespace {

constexpr std::array kCrashes = {SIGSEGV, SIGABRT, SIGBUS, SIGILL, SIGFPE};
constexpr int kShell = 128;    // and the number of a signal, as shells and clang have it
constexpr int kInternal = 70;  // what LLVM ends with after an error of its own

// An exit status, as a shell would have it.
int wait_for(pid_t child) {
  int status = 0;
  while (waitpid(child, &status, 0) < 0) {
    if (errno != EINTR) return 1;
  }
  return WIFSIGNALED(status) ? kShell + WTERMSIG(status) : WEXITSTATUS(status);
}

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

void become(Arguments command) {
  std::vector<char*> words;
  for (std::string& word : command) words.push_back(word.data());
  words.push_back(nullptr);
  execvp(words[0], words.data());
  throw Mistake{"cannot run " + command[0] + ": " + std::strerror(errno)};
}

int run_with_fallback(const Arguments& command, const Arguments& fallback, bool reads_input) {
  if (reads_input) keep_input();
  off_t start = reads_input ? lseek(STDIN_FILENO, 0, SEEK_CUR) : 0;
  pid_t child = fork();
  if (child < 0) become(command);
  if (child == 0) {
    // Who ends psicc means the compiler.
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    become(command);
  }
  int status = wait_for(child);
  if (!is_crash(status)) return status;
  if (reads_input) lseek(STDIN_FILENO, start, SEEK_SET);
  std::fputs("psicc: warning: clang crashed with psic in it; again without\n", stderr);
  become(fallback);
  return status;
}

}  // namespace psicc
