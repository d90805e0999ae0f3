// Names of blocks and registers, for remarks.
#pragma once

#include <string>

#include "psi/ir/display_names.h"

namespace psi::predication {

template <class Id>
std::string text_of(const Function& function, Id id) {
  std::string out;
  DisplayNames::as_stored(function).append(out, id);
  return out;
}

}  // namespace psi::predication
