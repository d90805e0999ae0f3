#include "psi/support/result.h"

#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>

namespace psi {

void no_value(const Diagnostics& diagnostics) {
  fmt::print(stderr, "psi: the value of a failed result is taken; it failed with:\n{}\n", diagnostics.text());
  std::abort();
}

}  // namespace psi
