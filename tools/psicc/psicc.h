// psicc: a C compiler driver. It takes clang's command line and its own few options, and calls clang with
// psic's plugin.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace psicc {

using Arguments = std::vector<std::string>;

// An error in the command line.
struct Mistake {
  std::string message;
};

// --- Response files (response.cpp) ---
// The words of a response file as clang reads it: separated by white space, quoted, with backslashes.
Arguments split_words(std::string_view text);
// The arguments with those @FILE expanded that have options of psicc; clang reads the others.
Arguments expand_response_files(const Arguments& arguments);

// --- Options (options.cpp) ---
struct Options {
  bool is_on = true;
  std::string at;
  std::string mode;
  std::string passes;
  std::string target;
  std::string crash_in;  // for tests
  bool unpredictable = false;
  bool remarks = false;                         // as clang's
  std::string remarks_file;                     // or to this file
  std::optional<std::string> profile_generate;  // the folder, or empty
  std::string profile_use;
  std::string clang_profile;  // a file that is given to clang by its own option

  bool help = false;
  bool version = false;
  bool compiles = false;     // does clang have something to optimise?
  bool reads_input = false;  // from standard input
  Arguments for_clang;       // what is not psicc's own
};
Options parse(const Arguments& arguments);
std::string help();

// --- Profiles (profile.cpp) ---
// A profile that clang can read: the file itself, or raw profiles merged by llvm-profdata.
std::string readable_profile(const std::string& path);

// --- The compiler (fallback.cpp) ---
// Replaces this process by the command.
void become(const Arguments& command);
// Runs the first command; if it crashes, the other one, on the same standard input, if that is read. Returns
// the exit status.
int run_with_fallback(const Arguments& command, const Arguments& fallback, bool reads_input);

}  // namespace psicc
