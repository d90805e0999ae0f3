#include "explore/json.h"

#include <array>
#include <cmath>

namespace psi::explore {
namespace {

// The length of the sequence of UTF-8 that starts here; 0: it is none.
size_t sequence(std::string_view text, size_t at) {
  auto byte = [&](size_t i) { return at + i < text.size() ? static_cast<uint8_t>(text[at + i]) : 0; };
  auto follows = [&](size_t i) { return (byte(i) & 0xc0) == 0x80; };
  uint8_t first = static_cast<uint8_t>(byte(0));
  if (first < 0x80) return 1;
  if (first >= 0xc2 && first < 0xe0) return follows(1) ? 2 : 0;
  if (first >= 0xe0 && first < 0xf0) {
    bool is_least = (first != 0xe0 || byte(1) >= 0xa0) && (first != 0xed || byte(1) < 0xa0);
    return is_least && follows(1) && follows(2) ? 3 : 0;
  }
  if (first >= 0xf0 && first < 0xf5) {
    bool is_least = (first != 0xf0 || byte(1) >= 0x90) && (first != 0xf4 || byte(1) < 0x90);
    return is_least && follows(1) && follows(2) && follows(3) ? 4 : 0;
  }
  return 0;
}

}  // namespace

Json& Json::real(double value) {
  if (!std::isfinite(value)) return null();
  return raw(fmt::format("{:.7g}", value));
}

void Json::quote(std::string_view text) {
  out_ += '"';
  for (size_t i = 0; i < text.size();) {
    char c = text[i];
    size_t length = sequence(text, i);
    if (c == '"' || c == '\\') {
      out_ += '\\';
      out_ += c;
    } else if (c == '\n') {
      out_ += "\\n";
    } else if (static_cast<uint8_t>(c) < 0x20 || c == '<' || c == 0x7f) {
      fmt::format_to(std::back_inserter(out_), "\\u{:04x}", static_cast<uint8_t>(c));
    } else if (length == 0) {
      out_ += "\\ufffd";
      length = 1;
    } else {
      out_ += text.substr(i, length);
    }
    i += length;
  }
  out_ += '"';
}

}  // namespace psi::explore
