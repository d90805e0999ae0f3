// Reduction with a shell command as the test.
#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <system_error>

#include "psi/testing/reduce.h"
#include "psi/text/text.h"

namespace psi {
namespace {

// A temporary folder, removed at the end.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::error_code error;
    std::filesystem::path base = std::filesystem::temp_directory_path(error);
    std::string name = (error ? std::filesystem::path(".") : base / "psi-reduce-XXXXXX").string();
    if (const char* made = mkdtemp(name.data())) path_ = made;
  }
  ~TemporaryFolder() {
    std::error_code error;
    if (!path_.empty()) std::filesystem::remove_all(path_, error);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

// Runs in the child, so only what is safe after a fork.
[[noreturn]] void become_shell(const char* script, const char* argument, int null) {
  // A group of its own, so that a timeout ends the command's own children, too.
  setpgid(0, 0);
  dup2(null, STDIN_FILENO);
  dup2(null, STDOUT_FILENO);
  dup2(null, STDERR_FILENO);
  execl("/bin/sh", "sh", "-c", script, "sh", argument, static_cast<char*>(nullptr));
  _exit(127);
}

bool run_command(const std::string& script, const std::string& argument, double timeout,
                 const std::function<bool()>& stop) {
  int null = open("/dev/null", O_RDWR | O_CLOEXEC);
  if (null < 0) return false;
  pid_t child = fork();
  if (child == 0) become_shell(script.c_str(), argument.c_str(), null);
  close(null);
  if (child < 0) return false;
  setpgid(child, child);

  auto start = std::chrono::steady_clock::now();
  long pause = 100'000;  // nanoseconds
  int status = 0;
  for (;;) {
    pid_t done = waitpid(child, &status, WNOHANG);
    if (done == child) return WIFEXITED(status) && WEXITSTATUS(status) == 0;
    if (done < 0) return false;
    std::chrono::duration<double> spent = std::chrono::steady_clock::now() - start;
    if ((timeout > 0 && spent.count() > timeout) || (stop && stop())) {
      kill(-child, SIGKILL);
      waitpid(child, &status, 0);
      return false;
    }
    timespec rest = {0, pause};
    nanosleep(&rest, nullptr);
    pause = std::min(2 * pause, 20'000'000L);
  }
}

}  // namespace

ReduceResult reduce_with_command(Module module, const std::string& command,
                                 const CommandOptions& command_options, const ReduceOptions& options) {
  TemporaryFolder folder;
  std::string file = (folder.path() / "candidate.psi").string();
  std::string script = command + " \"$1\"";
  ReduceTest test = [&](const Module& candidate) {
    std::ofstream out(file, std::ios::binary | std::ios::trunc);
    out << print(candidate);
    out.close();
    return out.good() && run_command(script, file, command_options.timeout_seconds, options.stop);
  };
  if (folder.path().empty()) {
    ReduceResult result;
    result.module = std::move(module);
    return result;
  }
  return reduce(std::move(module), test, options);
}

}  // namespace psi
