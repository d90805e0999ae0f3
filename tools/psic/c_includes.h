// What C text may read while it is compiled: files of one folder, and system headers.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace psic {

// The first thing in the text, or in the files of the folder that it includes, that could read anything else,
// or hide that it does: an include of another place or by a macro, `#embed`, an unknown directive,
// `__has_include`. Nothing if there is none.
//
// Comments, literals and lines that end in a backslash are read as clang reads them in its default mode, so
// that no directive goes unseen.
struct ForbiddenRead {
  std::string file;  // empty: the text itself
  uint32_t line = 0;
  std::string message;
};
std::optional<ForbiddenRead> find_forbidden_read(std::string_view text, const std::string& folder);

}  // namespace psic
