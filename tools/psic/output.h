// What commands write: to standard output, to standard error and to files. Nothing is lost silently.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace psic {

// --- Standard output and standard error (output.cpp) ---
// What cannot be written is remembered; finish_output complains.
void put(std::string_view text);
void say(std::string_view text);
template <class... Args>
void put(fmt::format_string<Args...> format, Args&&... args) {
  put(std::string_view(fmt::format(format, std::forward<Args>(args)...)));
}
template <class... Args>
void say(fmt::format_string<Args...> format, Args&&... args) {
  say(std::string_view(fmt::format(format, std::forward<Args>(args)...)));
}
// `1 function`, `2 functions`.
std::string counted(uint64_t count, std::string_view noun);
// Writes what is still in buffers. The exit code: `code`, or kBadInput for kFine where something was lost.
int finish_output(int code);
// Did everything so far arrive? A program that prints for ever need not go on if not.
bool output_arrives();

// --- Messages (messages.cpp) ---
// Is the stream a terminal that wants colour?
bool colour_wanted(int fd);
void error(std::string_view message);
// An internal error, with how to report it.
void report_bug(std::string_view message);
// Makes crashes and uncaught exceptions end with report_bug and kBug.
void install_crash_handlers();
// While it lives, a crash ends with this message and kBadInput: LLVM does not survive every damaged file.
class CrashMessage {
 public:
  explicit CrashMessage(std::string message);
  ~CrashMessage();
  CrashMessage(const CrashMessage&) = delete;
  CrashMessage& operator=(const CrashMessage&) = delete;

 private:
  std::string message_;
};

// --- Files (files.cpp) ---
// The whole file; `-` is standard input. Complains if it cannot be read.
std::optional<std::string> read_file(const std::string& path);
// Writes beside the file and renames, so that a reader sees the old contents or the new; `-` is standard
// output. Complains if it cannot.
bool write_file(const std::string& path, std::string_view contents);
// Could write_file begin to? Complains if not: before long work, of which the result would be lost.
bool can_write(const std::string& path);

// --- Signals (signals.cpp) ---
// Ctrl-C and its like remove temporary files, and end children, before they end psic.
void install_signal_handlers();
// While it lives, such a signal only sets a flag, for a command that has something to say at the end; a
// second one ends psic all the same.
class Interruptible {
 public:
  Interruptible();
  ~Interruptible();
  Interruptible(const Interruptible&) = delete;
  Interruptible& operator=(const Interruptible&) = delete;
};
bool is_interrupted();
// The same as a word: `interrupted` or `terminated`.
std::string_view interruption();
// Ends psic by the signal that interrupted it, so that a shell knows.
[[noreturn]] void end_by_signal();

// A name beside a path, for a file that is removed when psic ends, however it ends, unless it is kept. It
// does not make the file.
class TemporaryFile {
 public:
  explicit TemporaryFile(const std::string& final_path);
  ~TemporaryFile();
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  const std::string& path() const { return path_; }
  // Renames it to the final path. False, with errno, if that cannot be done.
  bool keep();

 private:
  void forget();

  std::string final_path_, path_;
};
// A process that a signal to psic ends, too, while it is waited for.
class ChildProcess {
 public:
  explicit ChildProcess(int pid);
  ~ChildProcess();
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;
};

// --- Progress (progress.cpp) ---
// A bar on standard error where that is a terminal, with rate and remaining time; otherwise nothing.
class Progress {
 public:
  // What is shown ends after `limit` seconds at the latest; 0: no limit.
  explicit Progress(std::string label, double limit = 0);
  ~Progress();
  // `unit` is what `done` and `total` count. A `total` of 0 is not known.
  void show(uint64_t done, uint64_t total, std::string_view unit, std::string_view detail = {});

 private:
  std::string label_;
  double limit_;
  bool terminal_;
  double start_;
  double last_ = -1;
};

}  // namespace psic
