// The version of the library. The build reads the version from here, the only place to change it.
//
// A change of the minor version may change the interface; one of the patch version does not.
#pragma once

#include <string_view>

#define PSI_VERSION_MAJOR 0
#define PSI_VERSION_MINOR 1
#define PSI_VERSION_PATCH 0

// For `#if PSI_VERSION >= PSI_MAKE_VERSION(0, 2, 0)`.
#define PSI_MAKE_VERSION(major, minor, patch) ((major) * 1000000 + (minor) * 1000 + (patch))
#define PSI_VERSION PSI_MAKE_VERSION(PSI_VERSION_MAJOR, PSI_VERSION_MINOR, PSI_VERSION_PATCH)

#define PSI_TEXT_OF_VALUE(value) #value
#define PSI_TEXT_OF(macro) PSI_TEXT_OF_VALUE(macro)

namespace psi {

inline constexpr std::string_view kVersion =
    PSI_TEXT_OF(PSI_VERSION_MAJOR) "." PSI_TEXT_OF(PSI_VERSION_MINOR) "." PSI_TEXT_OF(PSI_VERSION_PATCH);

}  // namespace psi

#undef PSI_TEXT_OF
#undef PSI_TEXT_OF_VALUE
