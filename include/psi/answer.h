// What is known of a statement.
#pragma once

#include <cstdint>

namespace psi {

enum class Answer : uint8_t {
  No,       // shown to be false
  Unknown,  // may be true or false
  Yes,      // shown to be true
};

}  // namespace psi
