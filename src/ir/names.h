// Names and numbers as the text writes them.
#pragma once

#include <array>
#include <charconv>
#include <cstdint>
#include <string>
#include <string_view>

namespace psi {

inline constexpr auto kNameChars = [] {
  std::array<bool, 256> table{};
  for (char c = 'a'; c <= 'z'; ++c) table[static_cast<unsigned char>(c)] = true;
  for (char c = 'A'; c <= 'Z'; ++c) table[static_cast<unsigned char>(c)] = true;
  for (char c = '0'; c <= '9'; ++c) table[static_cast<unsigned char>(c)] = true;
  table['_'] = table['.'] = true;
  return table;
}();

// Is the character allowed in names and words without quotes?
inline bool is_name_char(char c) { return kNameChars[static_cast<unsigned char>(c)]; }
inline bool is_digit(char c) { return c >= '0' && c <= '9'; }

// With quotes around, and escapes for what is not printable.
std::string quote(std::string_view bytes);

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
