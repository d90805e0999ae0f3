// The descriptions in machines/, embedded by the build.
#pragma once

#include <span>
#include <string_view>

namespace psi::target {

struct MachineText {
  std::string_view file;  // its name
  std::string_view text;
};

std::span<const MachineText> machine_texts();

}  // namespace psi::target
