// Completion of command lines: what may stand at the cursor, from the tables that parse.
#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "psi/pipeline/pass_table.h"

namespace psic {

struct Candidate {
  std::string text;   // in place of the element that is typed
  std::string about;  // empty: says all itself
  // Is nothing else to follow in this word?
  bool is_whole = true;
};

struct Completion {
  std::string before;  // the part of the word before the element: `--passes=gvn,`
  std::vector<Candidate> candidates;
  bool files = false;                   // files, which the shell finds itself
  std::vector<std::string> extensions;  // of the files that fit; empty: all
};

// Keeps the candidates that begin with the element.
void keep_matching(Completion& completion, std::string_view element);

// --- Lists of passes (complete_passes.cpp) ---
Completion complete_passes(const psi::PassTable& table, std::string_view typed);
// Names between commas.
Completion complete_names(std::string_view typed, std::vector<Candidate> names);

// --- Command lines (complete_words.cpp) ---
// The words after the program's name; the last is the one to complete. `app` is psic's command line.
Completion complete_psic(const CLI::App& app, const std::vector<std::string>& words);
Completion complete_psicc(const std::vector<std::string>& words);
// The values of `a|b`; nothing if it is something else.
std::optional<std::vector<std::string>> listed_values(std::string_view type);

// --- Shells (complete.cpp) ---
// `psic complete SHELL PROGRAM ...`, which the files in completions/ call; the exit code.
int complete(const CLI::App& app, const std::vector<std::string>& arguments);

}  // namespace psic
