// Random functions of predicates, small enough for all their worlds to be looked at.
#pragma once

#include <cstdint>
#include <string_view>

#include "psi/ir/module.h"
#include "worlds.h"

namespace psi::soak {

enum class Sort : uint8_t {
  Independent,   // a block with up to 12 conditions, each on values of its own
  Correlated,    // a block whose conditions compare three numbers with each other and with constants
  Structured,    // ifs and switches, each on values of its own, in each other and after each other
  Unstructured,  // branches forward to anywhere
};
constexpr Sort kSorts[] = {Sort::Independent, Sort::Correlated, Sort::Structured, Sort::Unstructured};
std::string_view sort_name(Sort sort);

struct Program {
  Module module;
  Worlds worlds;

  // The only one.
  Function& function() { return module.function(module.declarations()[0]); }
  const Function& function() const { return module.function(module.declarations()[0]); }
};

// Blocks are in plain or in SSA form, regions in SSA form.
Program random_program(Sort sort, uint64_t seed);

}  // namespace psi::soak
