// The mark that some editors begin a text with. It is not part of it.
#pragma once

#include <string_view>

namespace psi {

inline constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";

inline std::string_view without_mark(std::string_view text) {
  if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
  return text;
}

}  // namespace psi
