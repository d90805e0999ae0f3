// Functions in plain form to measure SSA construction on, each hard in a way of its own.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "psi/ir/module.h"

namespace psi::bench {

struct Shape {
  std::string_view name;
  // A module with one function of about this many instructions; no read is undefined.
  Module (*make)(uint64_t insts);
};

// The source says what each is like.
std::span<const Shape> shapes();

// The function of the module that has the most instructions.
SymbolId largest_function(const Module& module);

}  // namespace psi::bench
