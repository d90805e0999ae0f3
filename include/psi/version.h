// The version of the library. The build reads it from here, so this is the one place to change it.
#pragma once

#include <string_view>

namespace psi {

inline constexpr std::string_view kVersion = "0.1.0";

}  // namespace psi
