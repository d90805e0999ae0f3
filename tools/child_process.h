// Runs another program and waits for it.
#pragma once

#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
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

inline Ended run(const std::vector<std::string>& command) {
  pid_t child = ::fork();
  if (child < 0) return {.error = errno};
  if (child == 0) {
    become(command);
    ::_exit(127);
  }
  return wait_for(child);
}

}  // namespace child_process
