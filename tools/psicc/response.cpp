#include <algorithm>
#include <fstream>
#include <iterator>
#include <string>

#include "psicc/psicc.h"

namespace psicc {

Arguments split_words(std::string_view text) {
  Arguments words;
  std::string word;
  bool in_word = false;
  char quote = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    char c = text[i];
    bool is_space = c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f' || c == '\v';
    if (!quote && is_space) {
      if (in_word) words.push_back(std::move(word));
      word.clear();
      in_word = false;
      continue;
    }
    in_word = true;
    if (c == '\\' && i + 1 < text.size() && quote != '\'') {
      word += text[++i];
    } else if (quote ? c == quote : c == '"' || c == '\'') {
      quote = quote ? 0 : c;
    } else {
      word += c;
    }
  }
  if (in_word) words.push_back(std::move(word));
  return words;
}

namespace {

bool is_own(const std::string& argument) {
  return argument.starts_with("-fpsi") || argument.starts_with("-fno-psi");
}

std::optional<Arguments> read_response_file(const std::string& argument) {
  if (argument.size() < 2 || argument[0] != '@') return std::nullopt;
  std::ifstream file(argument.substr(1), std::ios::binary);
  if (!file) return std::nullopt;  // clang will say so
  return split_words(std::string(std::istreambuf_iterator<char>(file), {}));
}

}  // namespace

Arguments expand_response_files(const Arguments& arguments) {
  // One may name others; not for ever.
  constexpr int kMaxDepth = 20;
  Arguments expanded = arguments;
  for (int depth = 0; depth < kMaxDepth; ++depth) {
    Arguments next;
    bool is_changed = false;
    for (std::string& argument : expanded) {
      std::optional<Arguments> words = read_response_file(argument);
      // Files within files must be seen, too, and standard input.
      auto is_relevant = [](const std::string& word) {
        return is_own(word) || word.starts_with('@') || word == "-";
      };
      if (words && std::ranges::any_of(*words, is_relevant)) {
        is_changed = true;
        next.insert(next.end(), words->begin(), words->end());
      } else {
        next.push_back(std::move(argument));
      }
    }
    expanded = std::move(next);
    if (!is_changed) break;
  }
  return expanded;
}

}  // namespace psicc
