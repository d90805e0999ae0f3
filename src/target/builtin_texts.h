// The descriptions in machines/, embedded by the build.
#pragma once

#include <span>
#include <string_view>

namespace psi::target {

struct BuiltinText {
  std::string_view file;  // its name
  std::string_view text;
};

// What all machines may use, and no target itself.
inline constexpr std::string_view kCommonFile = "common.target";

std::span<const BuiltinText> builtin_texts();

}  // namespace psi::target
