// The lines of a target description as words with their places. Comments begin with `#`.
#pragma once

#include <string_view>
#include <vector>

#include "psi/support/diagnostic.h"

namespace psi::target {

struct Word {
  std::string_view text;
  Location where;
};

class DescriptionLines {
 public:
  explicit DescriptionLines(std::string_view text) : rest_(text) {}

  // Moves to the next line that has words; false at the end.
  bool next();
  const std::vector<Word>& words() const { return words_; }
  // The text from this word to the end of the line.
  Word from(size_t first) const;

 private:
  void split(std::string_view line);

  std::string_view rest_;
  uint32_t line_ = 0;
  std::vector<Word> words_;
};

}  // namespace psi::target
