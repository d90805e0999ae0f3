// A run-time value.
#pragma once

#include <cstdint>

namespace psi {

// The bits (zero above the type's width), or undefined.
struct Value {
  uint64_t bits = 0;
  bool undef = false;
  bool operator==(const Value&) const = default;
};

}  // namespace psi
