// psic complete: candidates in the words of each shell.
#include "psic/complete.h"

#include <fmt/format.h>

#include <algorithm>

#include "psic/tool.h"

namespace psic {
namespace {

// A command line up to the cursor, as a shell reads it.
struct Line {
  std::vector<std::string> words = {""};  // without quotes; the last is the one to complete
  char quote = 0;                         // open where the line ends
  bool is_redirected = false;             // the last word is a file that the shell opens
};

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\n'; }

Line read_line(std::string_view text) {
  Line line;
  bool is_in_word = false;
  auto end_word = [&] {
    if (!is_in_word) return;
    if (line.is_redirected) line.words.pop_back();
    line.words.emplace_back();
    is_in_word = line.is_redirected = false;
  };
  for (size_t i = 0; i < text.size(); ++i) {
    char c = text[i];
    std::string& word = line.words.back();
    if (line.quote == 0 && is_blank(c)) {
      end_word();
    } else if (line.quote == 0 && (c == '<' || c == '>')) {
      // A number before it is the stream's, and no word.
      if (word.find_first_not_of("0123456789") == std::string::npos) word.clear(), is_in_word = false;
      end_word();
      line.is_redirected = true;
    } else if (line.quote == 0 && (c == '\'' || c == '"')) {
      line.quote = c;
      is_in_word = true;
    } else if (c == line.quote) {
      line.quote = 0;
    } else {
      if (c == '\\' && line.quote != '\'' && i + 1 < text.size()) c = text[++i];
      word += c;
      is_in_word = true;
    }
  }
  return line;
}

std::string quoted(std::string_view text, char quote) {
  std::string out;
  for (char c : text) {
    bool is_plain = std::isalnum(static_cast<unsigned char>(c)) ||
                    std::string_view("_@%+=:,./-").find(c) != std::string_view::npos;
    if (quote == '\'') {
      out += c == '\'' ? std::string("'\\''") : std::string(1, c);
    } else {
      bool needs = quote == '"' ? std::string_view("\"$`\\").find(c) != std::string_view::npos : !is_plain;
      if (needs) out += '\\';
      out += c;
    }
  }
  return out;
}

Completion answer(const CLI::App& app, const std::string& program, const std::vector<std::string>& words) {
  return program == "psicc" ? complete_psicc(words) : complete_psic(app, words);
}

std::string header(const Completion& completion) {
  return completion.files ? fmt::format("files {}", fmt::join(completion.extensions, " ")) : "words";
}

// bash says what it replaces, the end of the word as it is written, and whether it only lists candidates.
void print_for_bash(const CLI::App& app, const std::string& program, bool only_lists, std::string_view text,
                    const std::string& replaced) {
  Line line = read_line(text);
  line.words.erase(line.words.begin());
  if (line.words.empty()) return;
  Completion completion;
  completion.files = line.is_redirected;
  if (!line.is_redirected) completion = answer(app, program, line.words);
  put("{}\n", header(completion));
  only_lists = only_lists && completion.candidates.size() > 1;
  size_t typed = line.words.back().size() - completion.before.size();  // of the element
  for (const Candidate& candidate : completion.candidates) {
    if (only_lists) {
      put("{}\n", candidate.text);
      continue;
    }
    // readline itself closes quotes.
    bool ends_word = candidate.is_whole && line.quote == 0;
    put("{}{}{}\n", replaced, quoted(std::string_view(candidate.text).substr(typed), line.quote),
        ends_word ? " " : "");
  }
}

void print_for_zsh(const Completion& completion) {
  put("{}\n", header(completion));
  for (const Candidate& c : completion.candidates) {
    put("{}\t{}{}\t{}\t{}\n", c.is_whole ? "whole" : "part", completion.before, c.text, c.text, c.about);
  }
}

void print_for_fish(const Completion& completion) {
  put("{}\n", header(completion));
  for (const Candidate& c : completion.candidates) {
    put("{}{}{}\n", completion.before, c.text, c.about.empty() ? "" : "\t" + c.about);
  }
}

}  // namespace

int complete(const CLI::App& app, const std::vector<std::string>& arguments) {
  if (arguments.size() < 3) return kUsage;
  const std::string &shell = arguments[0], &program = arguments[1];
  if (shell == "bash") {
    constexpr std::string_view kLists = "63";  // COMP_TYPE: `?`
    if (arguments.size() != 5) return kUsage;
    print_for_bash(app, program, arguments[2] == kLists, arguments[3], arguments[4]);
    return kFine;
  }
  std::vector<std::string> words(arguments.begin() + 2, arguments.end());
  // fish gives the last word as it is written.
  if (shell == "fish") words.back() = read_line(words.back()).words.back();
  Completion completion = answer(app, program, words);
  shell == "fish" ? print_for_fish(completion) : print_for_zsh(completion);
  return kFine;
}

}  // namespace psic
