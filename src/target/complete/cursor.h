// Takes one line of a description apart, from left to right.
#pragma once

#include <charconv>
#include <optional>
#include <string>
#include <string_view>

#include "target/complete/lines.h"

namespace psi::target {

struct Piece {
  std::string_view text;
  Location where;
};

class Cursor {
 public:
  Cursor(const SourceLine& line, Problems& problems)
      : line_(&line), text_(line.text()), problems_(&problems) {
    skip_blanks();
  }

  bool at_end() const { return at_ == text_.size(); }
  char peek() const { return at_end() ? '\0' : text_[at_]; }
  bool starts_with(std::string_view text) const { return text_.substr(at_).starts_with(text); }
  std::string_view rest() const { return text_.substr(at_); }
  size_t offset() const { return at_; }
  void move_to(size_t offset) {
    at_ = offset;
    skip_blanks();
  }
  Location here(size_t length = 1) const { return line_->where(std::min(at_, text_.size()), length); }

  bool accept(char c);
  // The next word, if it is this one.
  bool accept_word(std::string_view word);
  // Up to a blank.
  Piece take_word();
  // Up to a blank or one of these.
  Piece take_until(std::string_view stops);
  // A word of letters, digits, `_`, `.`, `-` and `+`; empty, with an error, if there is none.
  Piece take_name(std::string_view what);
  // `%name`, without the sigil; reported if it is not there.
  std::optional<Piece> take_reg();
  // In quotes, escapes resolved.
  std::optional<std::string> take_string(std::string_view what);
  bool at_string() const { return peek() == '"'; }
  std::optional<int64_t> take_number(int64_t min, int64_t max, std::string_view what);
  bool at_number() const;
  // Reports what is left.
  void expect_end();

  void fail(Location where, std::string message) { problems_->error(where, std::move(message)); }
  void fail(std::string message);
  Problems& problems() { return *problems_; }
  const SourceLine& line() const { return *line_; }

 private:
  void skip_blanks();

  const SourceLine* line_;
  std::string_view text_;
  Problems* problems_;
  size_t at_ = 0;
};

// A whole number; nothing if the text is none, or does not fit.
std::optional<int64_t> number_in(std::string_view text);

}  // namespace psi::target
