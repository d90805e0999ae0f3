// The descriptions in machines/, as the build puts them into the library.
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
