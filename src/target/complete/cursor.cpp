#include "target/complete/cursor.h"

#include <fmt/format.h>

#include "ir/names.h"

namespace psi::target {
namespace {

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f'; }
bool is_word_char(char c) { return is_name_char(c) || c == '-' || c == '+' || c == '_'; }

}  // namespace

std::optional<int64_t> number_in(std::string_view text) {
  int64_t value = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || text.empty()) return std::nullopt;
  return value;
}

void Cursor::skip_blanks() {
  while (at_ < text_.size() && is_blank(text_[at_])) ++at_;
}

bool Cursor::accept(char c) {
  if (peek() != c || at_end()) return false;
  ++at_;
  skip_blanks();
  return true;
}

bool Cursor::accept_word(std::string_view word) {
  if (!starts_with(word)) return false;
  size_t end = at_ + word.size();
  if (end < text_.size() && is_word_char(text_[end])) return false;
  move_to(end);
  return true;
}

Piece Cursor::take_word() { return take_until(""); }

Piece Cursor::take_until(std::string_view stops) {
  size_t begin = at_;
  while (at_ < text_.size() && !is_blank(text_[at_]) && stops.find(text_[at_]) == std::string_view::npos)
    ++at_;
  Piece piece{text_.substr(begin, at_ - begin), line_->where(begin, at_ - begin)};
  skip_blanks();
  return piece;
}

Piece Cursor::take_name(std::string_view what) {
  size_t begin = at_;
  while (at_ < text_.size() && is_word_char(text_[at_])) ++at_;
  Piece piece{text_.substr(begin, at_ - begin), line_->where(begin, at_ - begin)};
  if (piece.text.empty()) fail(fmt::format("expected {}", what));
  skip_blanks();
  return piece;
}

std::optional<Piece> Cursor::take_reg() {
  size_t begin = at_;
  if (peek() != '%') {
    fail("expected a name with '%' before it");
    return std::nullopt;
  }
  ++at_;
  while (at_ < text_.size() && is_name_char(text_[at_])) ++at_;
  Piece piece{text_.substr(begin + 1, at_ - begin - 1), line_->where(begin, at_ - begin)};
  skip_blanks();
  if (!piece.text.empty()) return piece;
  fail(piece.where, "'%' without a name");
  return std::nullopt;
}

std::optional<std::string> Cursor::take_string(std::string_view what) {
  if (!at_string()) {
    fail(fmt::format("expected {}, in quotes", what));
    return std::nullopt;
  }
  size_t begin = at_++;
  std::string text;
  while (at_ < text_.size() && text_[at_] != '"') {
    char c = text_[at_++];
    if (c == '\\' && at_ < text_.size()) {
      c = text_[at_++];
      c = c == 't' ? '\t' : c == 'n' ? '\n' : c;
    }
    text += c;
  }
  if (at_ == text_.size()) {
    fail(line_->where(begin, at_ - begin), "a string without an end");
    return std::nullopt;
  }
  ++at_;
  skip_blanks();
  return text;
}

bool Cursor::at_number() const {
  std::string_view text = rest();
  if (text.starts_with('-')) text.remove_prefix(1);
  return !text.empty() && is_digit(text[0]);
}

std::optional<int64_t> Cursor::take_number(int64_t min, int64_t max, std::string_view what) {
  if (at_end()) {
    fail(fmt::format("expected {}", what));
    return std::nullopt;
  }
  Piece word = take_word();
  std::optional<int64_t> value = number_in(word.text);
  if (!value) {
    fail(word.where, fmt::format("expected {}, found '{}'", what, word.text));
  } else if (*value < min || *value > max) {
    fail(word.where, fmt::format("{} is out of range: {} goes from {} to {}", *value, what, min, max));
    return std::nullopt;
  }
  return value;
}

void Cursor::expect_end() {
  if (!at_end()) fail(line_->where(at_, text_.size() - at_), fmt::format("unexpected '{}'", rest()));
}

void Cursor::fail(std::string message) {
  if (!at_end()) {
    size_t end = at_;
    while (end < text_.size() && !is_blank(text_[end])) ++end;
    return problems_->error(line_->where(at_, end - at_),
                            fmt::format("{}, found '{}'", message, text_.substr(at_, end - at_)));
  }
  // Behind the last byte.
  Location where = text_.empty() ? Location{} : line_->where(text_.size() - 1, 1);
  if (where.line != 0) where.column += 1;
  problems_->error(where, message + ", found the end of the line");
}

}  // namespace psi::target
