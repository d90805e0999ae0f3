#include "text/lexer.h"

#include <algorithm>

namespace psi {
namespace {

int hex_value(char c) {
  if (is_digit(c)) return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

TokenKind punctuation(char c) {
  switch (c) {
    case ',':
      return TokenKind::Comma;
    case '=':
      return TokenKind::Equal;
    case '?':
      return TokenKind::Question;
    case '!':
      return TokenKind::Bang;
    case '(':
      return TokenKind::LeftParen;
    case ')':
      return TokenKind::RightParen;
    case '[':
      return TokenKind::LeftBracket;
    case ']':
      return TokenKind::RightBracket;
    case '{':
      return TokenKind::LeftBrace;
    case '}':
      return TokenKind::RightBrace;
    case ':':
      return TokenKind::Colon;
    case '+':
      return TokenKind::Plus;
    case '-':
      return TokenKind::Minus;
    default:
      return TokenKind::Bad;
  }
}

}  // namespace

void Lexer::skip_space() {
  while (at_ != end_) {
    char c = *at_;
    if (c == ' ' || c == '\t' || c == '\r') {
      ++at_;
    } else if (c == '\n') {
      line_start_ = ++at_;
      ++line_;
      first_on_line_ = true;
    } else if (c == '#') {
      while (at_ != end_ && *at_ != '\n') ++at_;
    } else {
      return;
    }
  }
}

bool Lexer::skip_quoted() {
  ++at_;
  while (at_ != end_ && *at_ != '"' && *at_ != '\n') {
    if (*at_ == '\\' && at_ + 1 != end_ && at_[1] != '\n') ++at_;
    ++at_;
  }
  if (at_ == end_ || *at_ == '\n') return false;
  ++at_;
  return true;
}

void Lexer::lex_named(Token& token, TokenKind kind) {
  const char* start = at_++;
  if (at_ != end_ && *at_ == '"') {
    token.quoted = true;
    token.kind = skip_quoted() ? kind : TokenKind::Bad;
    if (at_ - start == 3) token.kind = TokenKind::Bad;  // an empty name
    return;
  }
  while (at_ != end_ && is_name_char(*at_)) ++at_;
  token.kind = at_ - start > 1 ? kind : TokenKind::Bad;
}

Token Lexer::next() {
  Token token;
  next(token);
  return token;
}

void Lexer::next(Token& token) {
  skip_space();
  token.first_on_line = first_on_line_;
  token.quoted = false;
  first_on_line_ = false;
  const char* start = at_;
  if (at_ == end_) {
    token.first_on_line = true;
    token.kind = TokenKind::End;
  } else {
    lex(token);
  }
  token.text = {start, static_cast<size_t>(at_ - start)};
  token.where = {line_, static_cast<uint32_t>(start - line_start_ + 1),
                 static_cast<uint32_t>(std::max<size_t>(token.text.size(), 1))};
}

void Lexer::lex(Token& token) {
  char c = *at_;
  switch (c) {
    case '%':
      return lex_named(token, TokenKind::Reg);
    case '@':
      return lex_named(token, TokenKind::Block);
    case '$':
      return lex_named(token, TokenKind::Symbol);
    case '"':
      token.quoted = true;
      token.kind = skip_quoted() ? TokenKind::String : TokenKind::Bad;
      return;
    case '.':
      if (!starts_with("...")) break;
      token.kind = TokenKind::Ellipsis;
      at_ += 3;
      return;
    case '-':
      if (!starts_with("->")) break;
      token.kind = TokenKind::Arrow;
      at_ += 2;
      return;
    case ';':
      if (!starts_with(";;")) break;
      token.kind = TokenKind::Stop;
      at_ += 2;
      return;
    default:
      break;
  }
  if (is_digit(c)) return lex_number(token);
  if (is_name_char(c)) {
    token.kind = TokenKind::Word;
    while (at_ != end_ && is_name_char(*at_)) ++at_;
    return;
  }
  token.kind = punctuation(c);
  ++at_;
}

void Lexer::lex_number(Token& token) {
  token.kind = TokenKind::Number;
  bool hex = starts_with("0x");
  while (at_ != end_ && is_name_char(*at_)) {
    // The exponent's sign belongs to the number.
    bool exponent = !hex && (*at_ == 'e' || *at_ == 'E');
    ++at_;
    if (exponent && at_ != end_ && (*at_ == '+' || *at_ == '-')) ++at_;
  }
}

bool unescape(std::string_view quoted, std::string& bytes, size_t& bad) {
  bytes.clear();
  for (size_t i = 0; i < quoted.size(); ++i) {
    if (quoted[i] != '\\') {
      bytes += quoted[i];
      continue;
    }
    bad = i;
    char c = i + 1 < quoted.size() ? quoted[i + 1] : '\0';
    if (c == 'n') {
      bytes += '\n';
    } else if (c == 't') {
      bytes += '\t';
    } else if (c == '\\' || c == '"') {
      bytes += c;
    } else if (i + 2 < quoted.size() && hex_value(c) >= 0 && hex_value(quoted[i + 2]) >= 0) {
      bytes += static_cast<char>(hex_value(c) * 16 + hex_value(quoted[i + 2]));
      ++i;
    } else {
      return false;
    }
    ++i;
  }
  return true;
}

}  // namespace psi
