// Any bytes: the lexer ends, and its tokens lie in the text, in order, where they say they are. Any bytes
// also survive being quoted and unquoted.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

#include "text/lexer.h"

namespace {

void require(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "%s\n", what);
  std::abort();
}

// Checks a token's line and column against the text: `line_start` and `line` follow from token to token.
class Position {
 public:
  explicit Position(std::string_view text) : text_(text) {}

  void check(const psi::Token& token) {
    size_t offset = static_cast<size_t>(token.text.data() - text_.data());
    for (; at_ < offset; ++at_) {
      if (text_[at_] == '\n') ++line_, line_start_ = at_ + 1;
    }
    require(token.where.line == line_, "a token on the wrong line");
    require(token.where.column == offset - line_start_ + 1, "a token in the wrong column");
  }

 private:
  std::string_view text_;
  size_t at_ = 0;
  size_t line_start_ = 0;
  uint32_t line_ = 1;
};

void check_tokens(std::string_view text) {
  psi::Lexer lexer(text);
  Position position(text);
  const char* at = text.data();
  for (psi::Token token = lexer.next(); token.kind != psi::TokenKind::End; token = lexer.next()) {
    require(!token.text.empty(), "an empty token");
    require(token.text.data() >= at, "tokens out of order");
    at = token.text.data() + token.text.size();
    require(at <= text.data() + text.size(), "a token beyond the end");
    require(token.text.find('\n') == std::string_view::npos, "a token across lines");
    position.check(token);
  }
  require(lexer.next().kind == psi::TokenKind::End, "a token after the end");
}

void check_quoting(std::string_view bytes) {
  std::string quoted = psi::quote(bytes);
  std::string back;
  size_t bad = 0;
  require(psi::unescape(std::string_view(quoted).substr(1, quoted.size() - 2), back, bad), "quoted badly");
  require(back == bytes, "quoting changed the bytes");

  psi::Lexer lexer(quoted);
  psi::Token token = lexer.next();
  require(token.kind == psi::TokenKind::String && token.text == quoted, "a quoted text is not one token");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  std::string_view text(reinterpret_cast<const char*>(data), size);
  check_tokens(text);
  check_quoting(text);
  std::string ignored;
  size_t bad = 0;
  if (!psi::unescape(text, ignored, bad)) require(bad < size, "a bad escape beyond the end");
  return 0;
}
