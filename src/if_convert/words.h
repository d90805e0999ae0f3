// Names of blocks and registers, for remarks.
#pragma once

#include <string>

#include "psi/text.h"

namespace psi::if_conversion {

template <class Id>
std::string text_of(const Function& function, Id id) {
  std::string out;
  DisplayNames::as_stored(function).append(out, id);
  return out;
}

}  // namespace psi::if_conversion
