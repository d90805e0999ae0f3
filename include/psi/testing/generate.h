// Random programs without undefined behaviour, for fuzzing and benchmarks. A seed gives the same program on
// every platform.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "psi/interp/interpret.h"
#include "psi/ir/module.h"

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
  uint64_t size = 200;     // approximate instructions in the whole module
  uint32_t functions = 0;  // the number of functions, $main included; 0: chosen by the size
  Shape shape = Shape::Mixed;

  // Features that may occur.
  bool memory = true;     // loads, stores, slots, block copies, globals of data
  bool calls = true;      // of functions of the module: direct, indirect, recursive, variadic
  bool floats = true;     // values of type f32 and f64
  bool guards = true;     // guarded instructions and cmpp
  bool switches = true;   // switch terminators
  bool externals = true;  // calls of external functions

  unsigned pointer_bits = 64;  // or 32

  bool names = false;        // name registers and blocks
  bool annotations = false;  // source lines and (made up) execution counts

  // The approximate number of instructions that a run of $main may execute; 0: proportional to the size.
  // Loops and calls that would exceed it are left out.
  uint64_t max_steps = 0;
};

// A module in plain form that verifies, with an entry point `$main() -> i32`. A run of $main returns if
// unknown external functions are stubbed (InterpretOptions::stub_externals), and so does a run of every other
// function that takes_arguments. Results depend on most computed values. Linear in the size.
Module generate(const GenerateOptions& options);

// Can a generated function be run alone? Not if it takes pointers or variadic arguments.
bool takes_arguments(const Function& function);
// Seeded values for its parameters, edge cases among them.
std::vector<Value> generate_arguments(const Function& function, uint64_t seed);

}  // namespace psi
