// Runs other programs: the only place in the tools that starts any.
#pragma once

#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <optional>
#include <string>
#include <vector>

namespace child_process {

struct Ended {
  int error = 0;   // of fork; 0: it was started
  int code = 0;    // what it returned; 127 if there is no such program
  int signal = 0;  // what ended it; 0: nothing
  bool is_fine() const { return error == 0 && signal == 0 && code == 0; }
  // As a shell has it.
  int status() const { return signal != 0 ? 128 + signal : code; }
};

inline Ended wait_for(pid_t child) {
  int status = 0;
  while (::waitpid(child, &status, 0) < 0) {
    if (errno != EINTR) return {.error = errno};
  }
  if (WIFSIGNALED(status)) return {.signal = WTERMSIG(status)};
  return {.code = WEXITSTATUS(status)};
}

// Puts the program in the place of this one; returns only if that fails, with errno. One without a slash is
// looked for in PATH.
inline void become(std::vector<std::string> command) {
  std::vector<char*> words;
  for (std::string& word : command) words.push_back(word.data());
  words.push_back(nullptr);
  ::execvp(words[0], words.data());
}

// A child that does this, and if it comes back has failed; below zero, with errno, if there is none. A signal that ends
// this program ends the child, too.
template <class Begin>
pid_t start_with(Begin begin) {
  pid_t child = ::fork();
  if (child != 0) return child;
  ::prctl(PR_SET_PDEATHSIG, SIGTERM);
  begin();
  ::_exit(127);
}

inline pid_t start(const std::vector<std::string>& command) {
  return start_with([&] { become(command); });
}

inline Ended run(const std::vector<std::string>& command) {
  pid_t child = start(command);
  return child < 0 ? Ended{.error = errno} : wait_for(child);
}

// The same for a command of the shell's, and what it writes to standard output.
struct Output {
  Ended ended;
  std::string text;
};
inline Output run_shell(const std::string& command) {
  std::array<int, 2> ends{};
  if (::pipe(ends.data()) != 0) return {.ended = {.error = errno}, .text = {}};
  pid_t child = start_with([&] {
    ::dup2(ends[1], STDOUT_FILENO);
    ::close(ends[0]);
    ::close(ends[1]);
    become({"/bin/sh", "-c", command});
  });
  int error = errno;
  ::close(ends[1]);
  Output output;
  std::array<char, 1 << 16> buffer;
  ssize_t size = 0;
  while (child > 0 &&
         ((size = ::read(ends[0], buffer.data(), buffer.size())) > 0 || (size < 0 && errno == EINTR)))
    if (size > 0) output.text.append(buffer.data(), static_cast<size_t>(size));
  ::close(ends[0]);
  output.ended = child < 0 ? Ended{.error = error} : wait_for(child);
  return output;
}

}  // namespace child_process
