// What Ctrl-C and its like leave behind: no files, no processes.
#include <signal.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <random>

#include "psic/output.h"

namespace psic {
namespace {

constexpr std::array kSignals = {SIGINT, SIGTERM, SIGHUP};
constexpr size_t kMaxFiles = 4;

// All that the handler reads. Commands have one or two of each at a time.
std::array<std::atomic<const char*>, kMaxFiles> temporary_files;
std::atomic<pid_t> child = 0;
std::atomic<bool> is_interruptible = false;
std::atomic<int> interrupted_by = 0;
static_assert(std::atomic<const char*>::is_always_lock_free && std::atomic<pid_t>::is_always_lock_free);

// Only what is safe in a signal handler.
void on_signal(int signal) {
  if (is_interruptible && interrupted_by == 0) {
    interrupted_by = signal;
    return;
  }
  if (pid_t pid = child) ::kill(pid, signal);
  for (const std::atomic<const char*>& file : temporary_files) {
    if (const char* path = file) ::unlink(path);
  }
  ::signal(signal, SIG_DFL);
  ::raise(signal);
}

// Where a symbolic link leads, so that the link stays; the path itself if it is none, or leads nowhere.
std::string without_link(const std::string& path) {
  std::error_code code;
  if (!std::filesystem::is_symlink(path, code)) return path;
  std::filesystem::path target = std::filesystem::canonical(path, code);
  return code ? path : target.string();
}

}  // namespace

void install_signal_handlers() {
  for (int signal : kSignals) {
    struct sigaction old{};
    // What nohup and background jobs ignore stays ignored.
    if (::sigaction(signal, nullptr, &old) == 0 && old.sa_handler == SIG_IGN) continue;
    struct sigaction action{};
    action.sa_handler = on_signal;
    for (int other : kSignals) sigaddset(&action.sa_mask, other);
    // Reads and waits go on.
    action.sa_flags = SA_RESTART;
    ::sigaction(signal, &action, nullptr);
  }
}

Interruptible::Interruptible() { is_interruptible = true; }
Interruptible::~Interruptible() { is_interruptible = false; }

bool is_interrupted() { return interrupted_by != 0; }

std::string_view interruption() { return interrupted_by == SIGINT ? "interrupted" : "terminated"; }

void end_by_signal() {
  std::fflush(stdout);
  std::fflush(stderr);
  ::signal(interrupted_by, SIG_DFL);
  ::raise(interrupted_by);
  std::abort();
}

TemporaryFile::TemporaryFile(const std::string& final_path)
    : final_path_(without_link(final_path)),
      path_(fmt::format("{}.{:08x}", final_path_, std::random_device()())) {
  // Before it exists, so that there is no moment at which it would be left.
  for (std::atomic<const char*>& file : temporary_files) {
    const char* none = nullptr;
    if (file.compare_exchange_strong(none, path_.c_str())) break;
  }
}

TemporaryFile::~TemporaryFile() {
  if (path_.empty()) return;
  ::unlink(path_.c_str());
  forget();
}

bool TemporaryFile::keep() {
  if (::rename(path_.c_str(), final_path_.c_str()) != 0) return false;
  forget();
  return true;
}

void TemporaryFile::forget() {
  for (std::atomic<const char*>& file : temporary_files) {
    if (file == path_.c_str()) file = nullptr;
  }
  path_.clear();
}

ChildProcess::ChildProcess(int pid) { child = pid; }
ChildProcess::~ChildProcess() { child = 0; }

}  // namespace psic
