// The answer to a question about a statement.
#pragma once

#include <cstdint>

namespace psi {

enum class Answer : uint8_t {
  No,       // proved false
  Unknown,  // may be true or false
  Yes,      // proved true
};

}  // namespace psi
