// Random programs without undefined behaviour, for fuzzing and benchmarks. A seed means the same program on
// every platform.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "psi/interpret.h"
#include "psi/module.h"

namespace psi {

enum class Shape : uint8_t {
  Structured,   // nested ifs, loops and switches, with early exits
  Irreducible,  // any block may branch to any other
  Straight,     // one block per function
  Mixed,        // structured, with irreducible parts
};

std::string_view shape_name(Shape shape);
std::optional<Shape> shape_from_name(std::string_view name);

struct GenerateOptions {
  uint64_t seed = 0;
  uint64_t size = 200;     // instructions in the whole module, about
  uint32_t functions = 0;  // how many, $main included; 0: as many as suit the size
  Shape shape = Shape::Mixed;

  // What may occur.
  bool memory = true;     // loads, stores, slots, block copies, globals of data
  bool calls = true;      // of functions of the module: direct, indirect, recursive, variadic
  bool floats = true;     // values of type f32 and f64
  bool guards = true;     // guarded instructions and cmpp
  bool switches = true;   // switch terminators
  bool externals = true;  // calls of external functions

  bool names = false;        // name registers and blocks
  bool annotations = false;  // source lines and (made up) execution counts

  // About how many instructions a run of $main may execute; 0: in proportion to the size. Loops and calls
  // are left out where they would exceed it.
  uint64_t max_steps = 0;
};

// A module in plain form that verifies, with an entry point `$main() -> i32`. A run of $main returns, if the
// interpreter stands in for unknown external functions (InterpretOptions::stub_externals), and so does one
// of every other function that takes_arguments. Results depend on most of what is computed. Linear in the
// size.
Module generate(const GenerateOptions& options);

// Can a generated function be run on its own? Not if it expects pointers or variadic arguments.
bool takes_arguments(const Function& function);
// Seeded values for its parameters, edge cases among them.
std::vector<Value> generate_arguments(const Function& function, uint64_t seed);

}  // namespace psi
