// Blocks of predicate code in SSA form, each of a shape of its own.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "psi/ir/module.h"

namespace psi::bench {

struct PredicateShape {
  std::string_view name;
  // A module with one function of one block that defines about this many predicates.
  Module (*make)(uint64_t predicates);
};

// The source says what each is like.
std::span<const PredicateShape> predicate_shapes();

}  // namespace psi::bench
