#include "ir/names.h"

namespace psi {

std::string quote(std::string_view bytes) {
  std::string out = "\"";
  for (char c : bytes) {
    unsigned char u = static_cast<unsigned char>(c);
    if (c == '\n') {
      out += "\\n";
    } else if (c == '\t') {
      out += "\\t";
    } else if (c == '\\' || c == '"') {
      out += '\\';
      out += c;
    } else if (u < 0x20 || u >= 0x7f) {
      constexpr std::string_view kDigits = "0123456789abcdef";
      out += '\\';
      out += kDigits[u / 16];
      out += kDigits[u % 16];
    } else {
      out += c;
    }
  }
  return out + '"';
}

}  // namespace psi
