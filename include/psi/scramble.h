// A test of other passes: SSA form in which webs interfere, guards and definitions differ, and definitions
// stand in any order, as optimisations leave it, only more so.
#pragma once

#include <cstdint>
#include <vector>

#include "psi/counters.h"
#include "psi/pass.h"

namespace psi {

// Each kind of change is made where it is legal, and the dice say so.
struct ScrambleOptions {
  uint32_t seed = 0;
  bool fold = true;     // copies, and phis and psis of one value, are replaced by what they copy
  bool extend = true;   // values go around loops and through joins in phis; phis and instructions are doubled
  bool replace = true;  // a read gets another register of the same value
  bool speculate = true;  // guards of pure definitions are enlarged
  bool nest = true;       // psis are inlined and cut in two; arguments that never win come and go
  bool promote = true;    // guards of psi arguments are enlarged, and cut where they are overwritten
  bool permute = true;    // psi arguments that exclude each other change places
  bool move = true;       // pure instructions go up and down, also to other blocks; phis change places
};

// SSA form. The same function and seed give the same result. Changes no block's successors. Of what would
// have to be searched for, only a few are tried: near-linear, but that questions about predicates take longer
// where there are thousands of them.
void scramble(Function& function, Analyses& analyses, const ScrambleOptions& options, Counters& counters);

// The same as a pass, with its options by name.
void scramble(PassContext& context);
std::vector<PassOption> scramble_options();

}  // namespace psi
