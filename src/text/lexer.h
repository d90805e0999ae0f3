// Splits the text of a module into tokens. Keeps no copies: tokens point into the text.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "ir/names.h"
#include "psi/support/diagnostic.h"
#include "support/byte_order_mark.h"

namespace psi {

enum class TokenKind : uint8_t {
  End,
  Word,    // add.i32, func, true
  Reg,     // %x, %"x y"
  Block,   // @b
  Symbol,  // $f
  Number,  // 12, 0x1f, 1.5e3; a sign is a token of its own
  String,  // "bytes"
  Comma,
  Equal,
  Question,
  Bang,
  LeftParen,
  RightParen,
  LeftBracket,
  RightBracket,
  LeftBrace,
  RightBrace,
  Colon,
  Plus,
  Minus,
  Arrow,     // ->
  Ellipsis,  // ...
  Stop,      // ;;
  Bad,       // anything else
};

struct Token {
  TokenKind kind = TokenKind::End;
  bool first_on_line = false;
  bool quoted = false;    // a name or string written with quotes
  std::string_view text;  // the whole token, sigil and quotes included
  Location where;

  // A name without its sigil and quotes, escapes not resolved.
  std::string_view name() const { return quoted ? text.substr(2, text.size() - 3) : text.substr(1); }
};

class Lexer {
 public:
  explicit Lexer(std::string_view text)
      : at_(without_mark(text).data()), end_(text.data() + text.size()), line_start_(at_) {}

  Token next();
  void next(Token& token);

 private:
  void skip_space();
  void lex(Token& token);
  void lex_number(Token& token);
  void lex_named(Token& token, TokenKind kind);
  // Past the closing quote; false if the line ends first.
  bool skip_quoted();
  bool starts_with(std::string_view text) const {
    return std::string_view(at_, static_cast<size_t>(end_ - at_)).starts_with(text);
  }

  const char* at_;
  const char* end_;
  const char* line_start_;
  uint32_t line_ = 1;
  bool first_on_line_ = true;
};

// The bytes of a quoted text. False, with the offset of the escape, if an escape is invalid.
bool unescape(std::string_view quoted, std::string& bytes, size_t& bad);

}  // namespace psi
