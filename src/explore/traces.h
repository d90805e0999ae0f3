// Algorithms in steps: what a pass did, in the order in which it did it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "explore/state.h"
#include "psi/ir/function.h"

namespace psi::explore {

struct PlacementTraces {
  std::string traces;  // objects of JSON with commas between; may be empty
  std::string graph;   // one object, or empty
};

// How each algorithm places the phis of a function in plain form, variable by variable. Nothing for functions
// that are too large to be followed. `step`: the one that constructs SSA form.
PlacementTraces placement_traces(const Function& function, size_t step);

// What psi-normalize or psi-web made of the arguments of each psi: an object of JSON, or nothing. `before` is
// the function that the pass got, `after` what it left, each with its state.
std::string psi_trace(std::string_view pass, size_t step, const Function& before, const State& state,
                      const Function& after, const State& now);

}  // namespace psi::explore
