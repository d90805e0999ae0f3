// Names and numbers as the text writes them.
#pragma once

#include <charconv>
#include <cstdint>
#include <string>
#include <string_view>

#include "text/lexer.h"

namespace psi {

inline void append_number(std::string& out, uint64_t number) {
  char buffer[24];
  auto [end, error] = std::to_chars(buffer, buffer + sizeof buffer, number);
  out.append(buffer, end);
}

// In quotes where it needs them.
inline void append_name(std::string& out, char sigil, std::string_view name) {
  out += sigil;
  for (char c : name) {
    if (!is_name_char(c)) {
      out += quote(name);
      return;
    }
  }
  out += name;
}

}  // namespace psi
